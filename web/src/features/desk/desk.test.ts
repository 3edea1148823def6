import { expect, it, vi } from 'vitest'
import type { DeskAnswer, Scan } from '../../api/types'
import { ProblemError } from '../../lib/problem'
import { Desk, type Kept } from './desk'

const answer: DeskAnswer = {
  outcome: 'shown',
  class: 'ok',
  text: '',
  messages: [],
  at: '2026-11-21T06:00:00Z',
  person: null,
  choices: [],
  blocks: [],
  explain: [],
}

it('R-DESK-9: a scan of a phone is sent under its own key, once however often it is told', async () => {
  const send = vi.fn((_scan: Scan, _key: string) => Promise.resolve(answer))
  const desk = new Desk(send, vi.fn())
  desk.hear({ id: 5, key: 'key-0001', code: 'L000001' })
  desk.hear({ id: 5, key: 'key-0001', code: 'L000001' })
  // The same code with another key was meant: the phone knows a bounce by itself.
  desk.hear({ id: 6, key: 'key-0002', code: 'L000001' })
  await vi.waitFor(() => expect(desk.snapshot().waiting).toEqual([]))
  expect(send.mock.calls).toEqual([
    [{ code: 'L000001', phoneScan: 5 }, 'key-0001'],
    [{ code: 'L000001', phoneScan: 6 }, 'key-0002'],
  ])
})

it('R-DESK-9: a scan that was done before the page was loaded anew is no failure', async () => {
  const reused = new ProblemError({ status: 422, code: 'idempotency-key-reused', detail: '' })
  const desk = new Desk(() => Promise.reject(reused), vi.fn())
  desk.hear({ id: 5, key: 'key-0001', code: 'L000001' })
  await vi.waitFor(() => expect(desk.snapshot().waiting).toEqual([]))
  expect(desk.snapshot().told).toEqual([])
})

/** A server that does not answer before it is told to. */
function cutLine() {
  let isCut = true
  const sent: Scan[] = []
  const send = (scan: Scan) => {
    if (isCut) return Promise.reject(new TypeError('the line is cut'))
    sent.push(scan)
    const open = scan.code === 'cs-1' || scan.choice === 'person:7'
    const person = open || scan.person === 7 ? ({ uid: 7, name: 'Asha' } as DeskAnswer['person']) : null
    return Promise.resolve({ ...answer, outcome: open ? ('person' as const) : ('lent' as const), person })
  }
  return { send, sent, mend: () => (isCut = false) }
}

it('R-DESK-10: scans that waited when the page was loaded anew are sent in order, for the person they are for', async () => {
  vi.useFakeTimers()
  let stored: Kept | null = null
  const memory = { read: () => stored, write: (kept: Kept) => (stored = kept), remove: () => (stored = null) }
  const cut = cutLine()
  const left = new Desk(cut.send, vi.fn(), memory)
  // The page is left while two scans wait for the line.
  left.scan('L1')
  left.scan('L2')
  await vi.advanceTimersByTimeAsync(100)
  expect(stored).toMatchObject({ scans: [{ label: 'L1' }, { label: 'L2' }] })
  const keys = left.snapshot().waiting.map(({ key }) => key)
  const open = [{ uid: 7, name: 'Asha', since: answer.at }]
  const line = cutLine()
  line.mend()
  const after = new Desk(line.send, vi.fn(), { ...memory, read: () => stored && { ...stored, open } })
  after.resume()
  expect(
    after
      .snapshot()
      .waiting.slice(1)
      .map(({ key }) => key),
  ).toEqual(keys)
  await vi.advanceTimersByTimeAsync(0)
  expect(line.sent).toEqual([
    { code: 'Asha', choice: 'person:7' },
    { code: 'L1', person: 7, since: answer.at },
    { code: 'L2', person: 7, since: answer.at },
  ])
  expect(stored).toBeNull()
  vi.useRealTimers()
})

it('R-DESK-3, R-DESK-10: while scans wait, nobody closes before they are done', async () => {
  vi.useFakeTimers()
  const line = cutLine()
  line.mend()
  const told: Scan[] = line.sent
  let cut = false
  const desk = new Desk((scan) => (cut ? Promise.reject(new TypeError('cut')) : line.send(scan)), vi.fn())
  desk.scan('cs-1')
  await vi.advanceTimersByTimeAsync(0)
  cut = true
  desk.scan('L1')
  desk.close()
  await vi.advanceTimersByTimeAsync(5 * 60_000)
  expect(desk.snapshot().open?.reader.uid).toBe(7)
  cut = false
  await vi.advanceTimersByTimeAsync(3000)
  expect(told.at(-1)).toEqual({ code: 'L1', person: 7, since: answer.at })
  expect(desk.snapshot().open).toBeNull()
  vi.useRealTimers()
})
