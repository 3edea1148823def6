import { describe, expect, it, vi } from 'vitest'
import type { DeskAnswer, Scan } from '../api/types'
import { ProblemError } from '../lib/problem'
import { Desk, type Kept } from './queue'

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
  const left = new Desk(cut.send, vi.fn(), { memory })
  // The page is left while two scans wait for the line.
  left.scan('L1')
  left.scan('L2')
  await vi.advanceTimersByTimeAsync(100)
  expect(stored).toMatchObject({ scans: [{ label: 'L1' }, { label: 'L2' }] })
  const keys = left.snapshot().waiting.map(({ key }) => key)
  const open = [{ uid: 7, name: 'Asha', since: answer.at }]
  const line = cutLine()
  line.mend()
  const after = new Desk(line.send, vi.fn(), { memory: { ...memory, read: () => stored && { ...stored, open } } })
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

const signedOut = new ProblemError({ status: 401, code: 'not-signed-in', detail: '' })

describe('V1, R-DESK-10: a session that ended elsewhere', () => {
  /** Two scans of one librarian, of which the first met the end of the session. */
  async function ended() {
    let stored: Kept | null = null
    const memory = { read: () => stored, write: (kept: Kept) => (stored = kept), remove: () => (stored = null) }
    const around = { signedIn: 1, server: 'ended' as 'ended' | 'open' }
    const send = vi.fn((_scan: Scan, _key: string) =>
      around.server === 'open' ? Promise.resolve(answer) : Promise.reject(signedOut),
    )
    const onSignedOut = vi.fn()
    const desk = new Desk(send, vi.fn(), { memory, isOwners: () => around.signedIn === 1, onSignedOut })
    desk.scan('L1')
    desk.scan('L2')
    await vi.waitFor(() => expect(onSignedOut).toHaveBeenCalledOnce())
    return { desk, send, around, stored: () => stored, settled: () => new Promise((done) => setTimeout(done, 20)) }
  }

  it('keeps the scan that met it and those behind it, on the screen and over a reload, and sends nothing more', async () => {
    const { desk, send, stored, settled } = await ended()
    await settled()
    expect(desk.snapshot().signedOut).toBe(true)
    expect(desk.snapshot().waiting.map(({ label }) => label)).toEqual(['L1', 'L2'])
    expect(stored()).toMatchObject({ scans: [{ label: 'L1' }, { label: 'L2' }] })
    expect(send).toHaveBeenCalledOnce()
  })

  it('sends each of them under its first key once the same person has signed in', async () => {
    const { desk, send, around, stored } = await ended()
    const keys = desk.snapshot().waiting.map(({ key }) => key)
    around.server = 'open'
    desk.resume()
    await vi.waitFor(() => expect(desk.snapshot().waiting).toEqual([]))
    expect(send.mock.calls.slice(1)).toEqual([
      [{ code: 'L1' }, keys[0]],
      [{ code: 'L2' }, keys[1]],
    ])
    expect(send.mock.calls[0]?.[1]).toBe(keys[0])
    expect(desk.snapshot().signedOut).toBe(false)
    expect(stored()).toBeNull()
  })

  it('sends none of them while another person is signed in', async () => {
    const { desk, send, around, stored, settled } = await ended()
    Object.assign(around, { signedIn: 2, server: 'open' })
    desk.resume()
    await settled()
    expect(send).toHaveBeenCalledOnce()
    expect(desk.snapshot().waiting).toHaveLength(2)
    expect(stored()).toMatchObject({ scans: [{ label: 'L1' }, { label: 'L2' }] })
  })
})
