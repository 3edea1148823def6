import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Copy } from '../api/types'
import { memoryStore, type Row } from '../lib/outboxStore'
import { ProblemError, unreachable } from '../lib/problem'
import { Shelf } from './shelf'

beforeEach(() => {
  vi.useFakeTimers()
  sessionStorage.clear()
})
afterEach(() => void vi.useRealTimers())
const after = (ms: number) => vi.advanceTimersByTimeAsync(ms)

/** Creates a shelf over stored rows. `L1` and `L2` wait to be shelved; the server answers `L1` later. */
async function page(rows = new Map<string, Row>(), states = new Map<string, Copy['state']>()) {
  const line = { isLost: false }
  const keys: string[] = []
  const onShelved = vi.fn()
  const copy = (barcode: string): Copy =>
    ({ id: Number(barcode.slice(1)), barcode, state: states.get(barcode) ?? 'to-shelve' }) as Copy
  const shelf = new Shelf({
    owner: '1',
    store: memoryStore(rows),
    find: async (barcode) => {
      await new Promise((resolve) => setTimeout(resolve, barcode === 'L1' ? 200 : 10))
      return barcode === 'L404' ? null : copy(barcode)
    },
    shelve: (id, key) => {
      keys.push(key)
      states.set(`L${id}`, 'on-shelf')
      if (line.isLost) return Promise.reject(unreachable())
      if (id === 9)
        return Promise.reject(
          new ProblemError({
            status: 409,
            code: 'copy-state',
            params: { from: 'on-shelf', to: 'on-shelf' },
            detail: 'No.',
          }),
        )
      return Promise.resolve(copy(`L${id}`))
    },
    onShelved,
    onUnknown: vi.fn(),
    isOwners: () => true,
  })
  await shelf.resume()
  return { shelf, line, keys, states, rows, onShelved }
}

const entry = (shelf: Shelf) => shelf.snapshot().shelved.map(({ code, kind }) => [code, kind])

it('V16: scans do not overtake each other, and a refusal stays on the screen beside the next', async () => {
  const { shelf, onShelved } = await page()
  for (const code of ['L1', 'L9', 'L404']) shelf.scan(code)
  await after(500)
  expect(entry(shelf)).toEqual([
    ['L404', 'done'],
    ['L9', 'failed'],
    ['L1', 'done'],
  ])
  expect(onShelved).toHaveBeenCalledTimes(3)
})

it('V16, R-SEAM-1: after a lost answer and a reload the repeat is the same move, and says what the first did', async () => {
  const first = await page()
  first.line.isLost = true
  first.shelf.scan('L1')
  await after(300)
  const second = await page(first.rows, first.states)
  await after(300)
  expect(second.keys).toEqual(first.keys)
  expect(second.shelf.snapshot().shelved[0]).toMatchObject({
    code: 'L1',
    kind: 'done',
    shelving: { before: { state: 'to-shelve' }, after: { state: 'on-shelf' } },
  })
})

it('a bounce is a tick', async () => {
  const { shelf } = await page()
  shelf.scan('L2')
  await after(100)
  shelf.scan('L2')
  await after(100)
  expect(entry(shelf)).toHaveLength(1)
  expect(shelf.snapshot().bounced?.code).toBe('L2')
})

it('L11: in the list of missing copies a scan puts a missing one on the shelf, and no other', async () => {
  const { shelf, states } = await page(
    undefined,
    new Map<string, Copy['state']>([
      ['L2', 'missing'],
      ['L3', 'lost'],
    ]),
  )
  for (const code of ['L2', 'L3', 'L4']) shelf.scan(code, 'missing')
  await after(500)
  expect(shelf.snapshot().shelved.map((one) => one.kind === 'done' && one.shelving.after?.state)).toEqual([
    'on-shelf',
    undefined,
    'on-shelf',
  ])
  expect(states.get('L3')).toBe('lost')
  shelf.scan('L3')
  await after(3100)
  expect(states.get('L3')).toBe('lost')
})
