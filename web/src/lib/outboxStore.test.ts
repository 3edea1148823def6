import { beforeEach, expect, it, vi } from 'vitest'
import { browserStore, type Row } from './outboxStore'

beforeEach(() => sessionStorage.clear())

it('R-SEAM-1: a reload that comes before the database is open loses no task', async () => {
  vi.spyOn(console, 'warn').mockReturnValue()
  const id: Row['id'] = ['desk', '1', 'lane', 'task', 'key-0001']
  const row: Row = { id, order: 1, value: { label: 'L000001' } }
  const before = browserStore()
  before.write([{ id, row }])
  const reloaded = browserStore()
  await expect(reloaded.read('desk', '1')).resolves.toEqual([row])
  await before.read('desk')
  // Nothing is left for the page after it.
  await expect(browserStore().read('desk', '1')).resolves.toEqual([])
})
