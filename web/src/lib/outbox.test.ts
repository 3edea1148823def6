import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Outbox, type Ending } from './outbox'
import { memoryStore, tasksOfOthers, type Row } from './outboxStore'
import { ProblemError, unreachable } from './problem'

type Task = { kind: 'scan' | 'pay'; code: string }

const knows = (task: unknown): task is Task =>
  typeof task === 'object' && task !== null && 'kind' in task && ['scan', 'pay'].includes(String(task.kind))

const failed = () => new ProblemError({ status: 500, code: 'internal', detail: '' })
const refused = () => new ProblemError({ status: 409, code: 'refused', detail: 'No.' })
const signedOut = () => new ProblemError({ status: 401, code: 'not-signed-in', detail: '' })

beforeEach(() => {
  vi.useFakeTimers()
  sessionStorage.clear()
})
afterEach(() => void vi.useRealTimers())

/** Creates a page with the queue of one person over these rows; `answer` is the server's response to a code. */
function page(
  rows = new Map<string, Row>(),
  answer: (code: string, tries: number) => unknown = (code) => `done ${code}`,
  { owner = '1', signedIn = { uid: '1' } }: { owner?: string; signedIn?: { uid: string } } = {},
) {
  const sent: { code: string; key: string; body: unknown; after: number }[] = []
  const ended: [code: string, kind: Ending<unknown>['kind']][] = []
  const began = Date.now()
  const box = new Outbox<Task, unknown>({
    box: 'desk',
    owner,
    store: memoryStore(rows),
    tryMs: 5000,
    knows,
    perform: async ({ key, task }, { freeze }) => {
      const body = freeze({ code: task.code, context: sent.length })
      sent.push({ code: task.code, key, body, after: Date.now() - began })
      const given = answer(task.code, sent.filter(({ code }) => code === task.code).length)
      if (given instanceof Error) throw given
      return given
    },
    onEnd: ({ task }, { kind }) => void ended.push([task.code, kind]),
    isOwners: () => signedIn.uid === owner,
    onChange: () => undefined,
  })
  const scan = (code: string) => box.add(code, { kind: 'scan', code })
  return { box, scan, sent, ended, rows, codes: () => sent.map(({ code }) => code) }
}

/** Labels of the waiting tasks. */
const names = ({ waiting }: { waiting: readonly { label: string }[] }) => waiting.map(({ label }) => label)
const after = (ms: number) => vi.advanceTimersByTimeAsync(ms)

describe('a queue of tasks', () => {
  it('R-SEAM-1: sends one after the other, each under the key of its press, in the tick of the press', async () => {
    const { box, scan, sent, ended, rows } = page()
    await box.resume()
    scan('L1')
    expect(sent).toHaveLength(1)
    scan('L2')
    expect(sent).toHaveLength(1)
    await after(0)
    expect(ended).toEqual([
      ['L1', 'done'],
      ['L2', 'done'],
    ])
    expect(new Set(sent.map(({ key }) => key)).size).toBe(2)
    expect(rows.size).toBe(0)
  })

  it('R-SEAM-1: stores a task in the tick of its press, and sends what a reload left under the same keys and bodies', async () => {
    const first = page(new Map(), () => new Promise(() => undefined))
    await first.box.resume()
    first.scan('L1')
    first.scan('L2')
    await Promise.resolve()
    expect([...first.rows.values()].map(({ value }) => (value as { label: string }).label)).toEqual(['L1', 'L2'])
    const keys = first.box.state.waiting.map(({ key }) => key)
    const second = page(first.rows)
    second.scan('L3')
    await second.box.resume()
    await after(0)
    expect(second.codes()).toEqual(['L1', 'L2', 'L3'])
    expect(second.sent.slice(0, 2).map(({ key }) => key)).toEqual(keys)
    expect(second.sent[0]?.body, 'the request is the one that was sent first').toEqual(first.sent[0]?.body)
    expect(second.rows.size).toBe(0)
  })

  it('R-SEAM-2: is slow when the first task has waited 300 ms, and clear again with its answer', async () => {
    let answer: (value: string) => void = () => undefined
    const { box, scan } = page(new Map(), () => new Promise((resolve) => (answer = resolve)))
    await box.resume()
    scan('L1')
    await after(299)
    expect(box.state.line).toBe('clear')
    await after(1)
    expect(box.state.line).toBe('slow')
    answer('done')
    await after(0)
    expect(box.state).toMatchObject({ line: 'clear', waiting: [] })
  })

  it('V3: gives a try 5 s, each further one twice as long, and repeats under the same key', async () => {
    const { box, scan, sent, ended } = page(new Map(), (_code, tries) =>
      tries < 3 ? new Promise(() => undefined) : 'done',
    )
    await box.resume()
    scan('L1')
    await after(4999)
    expect(box.state.line).toBe('slow')
    await after(1)
    expect(box.state.line).toBe('offline')
    await after(10_000)
    expect(sent.map(({ after: at }) => at)).toEqual([0, 5000, 15_000])
    expect(new Set(sent.map(({ key }) => key)).size).toBe(1)
    expect(ended).toEqual([['L1', 'done']])
  })

  it('R-SEAM-2: waits for an unreachable server as long as it takes, and goes on at once when the network is back', async () => {
    let isCut = true
    const { box, scan, codes } = page(new Map(), () => (isCut ? unreachable() : 'done'))
    await box.resume()
    scan('L1')
    scan('L2')
    await after(60_000)
    expect(box.state.line).toBe('offline')
    expect(new Set(codes())).toEqual(new Set(['L1']))
    isCut = false
    dispatchEvent(new Event('online'))
    await after(0)
    expect(box.state).toMatchObject({ line: 'clear', waiting: [] })
  })

  it('V2: a task that is answered 500 three times is set apart, the ones behind it go on, and it is kept over a reload', async () => {
    const { box, scan, codes, ended, rows, sent } = page(new Map(), (code) => (code === 'L2' ? failed() : 'done'))
    await box.resume()
    for (const code of ['L1', 'L2', 'L3']) scan(code)
    await after(5000)
    expect(codes()).toEqual(['L1', 'L2', 'L2', 'L2', 'L3'])
    expect(ended.map(([code]) => code)).toEqual(['L1', 'L3'])
    expect(box.state.line).toBe('clear')
    expect(box.state.unknown.map(({ label }) => label)).toEqual(['L2'])
    const reloaded = page(rows)
    await reloaded.box.resume()
    await after(0)
    expect(reloaded.sent).toEqual([])
    const [parked] = reloaded.box.state.unknown
    reloaded.box.tryAgain(parked?.key ?? '')
    await after(0)
    expect(reloaded.sent[0]).toMatchObject({ key: sent[1]?.key, body: sent[1]?.body })
    expect(rows.size).toBe(0)
  })

  it('R-SEAM-2: a task that was set aside is gone, also after a reload', async () => {
    const { box, scan, rows } = page(new Map(), () => failed())
    await box.resume()
    scan('L1')
    await after(5000)
    expect(box.setAside(box.state.unknown[0]?.key ?? '')).toMatchObject({ label: 'L1' })
    await after(0)
    expect(box.state.unknown).toEqual([])
    expect(rows.size).toBe(0)
  })

  it('V2: an error of our own code is told and logged, and never repeated', async () => {
    const logged = vi.spyOn(console, 'error').mockReturnValue(undefined)
    const { box, scan, codes, ended } = page(new Map(), (code) =>
      code === 'L1' ? new TypeError('x is not a y') : 'done',
    )
    await box.resume()
    scan('L1')
    scan('L2')
    await after(0)
    expect(codes()).toEqual(['L1', 'L2'])
    expect(ended).toEqual([
      ['L1', 'fault'],
      ['L2', 'done'],
    ])
    expect(logged).toHaveBeenCalledOnce()
  })

  it('R-SEAM-1: a call that breaks off because the page is being left is no error of ours: it is sent again', async () => {
    const left = new DOMException('BodyStreamBuffer was aborted', 'AbortError')
    const { box, scan, sent, ended, rows } = page(new Map(), (_code, tries) =>
      tries === 1 ? Promise.reject(left) : 'done',
    )
    await box.resume()
    scan('L1')
    await after(0)
    expect(rows.size).toBe(1)
    expect(ended).toEqual([])
    await after(2000)
    expect(ended).toEqual([['L1', 'done']])
    expect(new Set(sent.map(({ key }) => key)).size).toBe(1)
  })

  it('a refusal is an answer; a server that asks to wait is waited for', async () => {
    const busy = new ProblemError({ status: 429, code: 'too-many-requests', params: { minutes: 1 }, detail: '' }, 10)
    const { box, scan, codes, ended } = page(new Map(), (code, tries) => {
      if (code === 'L1') return refused()
      return tries === 1 ? busy : 'done'
    })
    await box.resume()
    scan('L1')
    scan('L2')
    await after(9999)
    expect(codes()).toEqual(['L1', 'L2'])
    await after(1)
    expect(ended).toEqual([
      ['L1', 'refused'],
      ['L2', 'done'],
    ])
  })
})

describe('R-SEAM-3: the owner of a queue', () => {
  it('keeps what waits when the session has ended, and sends it after the same person is back', async () => {
    let isOut = true
    const { box, scan, codes, ended } = page(new Map(), () => (isOut ? signedOut() : 'done'))
    await box.resume()
    scan('L1')
    scan('L2')
    await after(60_000)
    expect(box.state.line).toBe('signed-out')
    expect(codes()).toEqual(['L1'])
    expect(names(box.state)).toEqual(['L1', 'L2'])
    isOut = false
    await box.resume()
    await after(0)
    expect(ended.map(([code]) => code)).toEqual(['L1', 'L2'])
  })

  it('another person never sends it, on this page or after a reload, and learns how much waits', async () => {
    const signedIn = { uid: '2' }
    const first = page(new Map(), () => 'done', { signedIn })
    await first.box.resume()
    first.scan('L1')
    await after(10_000)
    expect(first.sent).toEqual([])
    const other = page(first.rows, () => 'done', { owner: '2', signedIn })
    await other.box.resume()
    await after(10_000)
    expect(other.sent).toEqual([])
    expect(await tasksOfOthers(memoryStore(first.rows), 'desk', '2')).toBe(1)
    signedIn.uid = '1'
    await first.box.resume()
    await after(0)
    expect(first.codes()).toEqual(['L1'])
  })
})

describe('what an earlier page left', () => {
  it('goes over to the next page when its own is gone, in order and once', async () => {
    const first = page(new Map(), () => unreachable())
    await first.box.resume()
    first.scan('L1')
    first.scan('L2')
    await after(100)
    // A new tab, not a reload.
    sessionStorage.clear()
    const second = page(first.rows)
    await second.box.resume()
    await after(0)
    expect(second.codes()).toEqual(['L1', 'L2'])
    expect(second.rows.size).toBe(0)
  })

  it('R-SEAM-9: a task that this version does not know is counted and left alone', async () => {
    const first = page(new Map(), () => unreachable())
    await first.box.resume()
    first.scan('L1')
    await after(0)
    const [id, row] = [...first.rows][0] ?? []
    if (id === undefined || !row) throw new Error('Nothing was stored')
    first.rows.set(id, { ...row, value: { ...(row.value as object), task: { kind: 'of tomorrow' } } })
    const second = page(first.rows)
    await second.box.resume()
    await after(0)
    expect(second.box.state).toMatchObject({ newer: 1, waiting: [] })
    expect(second.rows.has(id)).toBe(true)
  })

  it('is not repeated by itself once the server may have forgotten its key', async () => {
    const first = page(new Map(), () => unreachable())
    await first.box.resume()
    first.scan('L1')
    await after(0)
    vi.setSystemTime(Date.now() + 48 * 60 * 60_000)
    const second = page(first.rows)
    await second.box.resume()
    await after(0)
    expect(second.sent).toEqual([])
    expect(second.box.state.unknown.map(({ label }) => label)).toEqual(['L1'])
  })

  it('R-SEAM-1: asks before the page is left while something is unsent', async () => {
    const { box, scan } = page(new Map(), (_code, tries) => (tries === 1 ? unreachable() : 'done'))
    const leaving = () => !dispatchEvent(new Event('beforeunload', { cancelable: true }))
    await box.resume()
    scan('L1')
    await after(0)
    expect(leaving()).toBe(true)
    await after(2000)
    expect(box.state.waiting).toEqual([])
  })
})
