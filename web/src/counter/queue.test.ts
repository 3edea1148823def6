import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type {
  Charge,
  ChargeForm,
  Closing,
  ClosingForm,
  DeskAnswer,
  PaymentForm,
  Receipt,
  RefundForm,
  Scan,
  WaiverForm,
} from '../api/types'
import { memoryStore, type Row } from '../lib/outboxStore'
import { ProblemError, unreachable } from '../lib/problem'
import { chargesOfLost, fineOf, isUnsettled, offersChoices, sumsOf } from './acts'
import { Desk } from './queue'
import { classOf, messagesOf, nextOf } from './words'

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
const asha = { uid: 7, name: 'Asha' } as NonNullable<DeskAnswer['person']>
const bela = { uid: 8, name: 'Bela' } as NonNullable<DeskAnswer['person']>
const signedOut = () => new ProblemError({ status: 401, code: 'not-signed-in', detail: '' })
const failing = () => new ProblemError({ status: 500, code: 'internal', detail: '' })
const refused = () => new ProblemError({ status: 409, code: 'refused', detail: 'No.' })

beforeEach(() => {
  vi.useFakeTimers()
  sessionStorage.clear()
})
afterEach(() => void vi.useRealTimers())
const after = (ms: number) => vi.advanceTimersByTimeAsync(ms)

/**
 * Creates a desk over stored rows, with the requests its server received. `cs-1` is Asha's card, `cs-2` is Bela's. `early`
 * runs before the stored tasks are back.
 */
async function page(rows = new Map<string, Row>(), early?: (desk: Desk) => void) {
  const line = { isCut: false, fails: (_code: string): Error | null => null }
  const around = { signedIn: 1 }
  const scans: Scan[] = []
  const keys: string[] = []
  const paid: (PaymentForm & { uid: number; key: string })[] = []
  const undone: number[] = []
  const waived: WaiverForm[] = []
  const refunded: (RefundForm & { uid: number; key: string })[] = []
  const charged: (ChargeForm & { uid: number; key: string })[] = []
  const closed: (ClosingForm & { key: string })[] = []
  const answers = new Map<string, Partial<DeskAnswer>>()
  const onEntry = vi.fn()
  const onSignedOut = vi.fn()
  const reach = (code: string) => {
    const error = line.isCut ? unreachable() : line.fails(code)
    if (error) throw error
  }
  const desk = new Desk({
    owner: '1',
    store: memoryStore(rows),
    onEntry,
    onSignedOut,
    isOwners: () => around.signedIn === 1,
    calls: {
      async scan(body, key) {
        reach(body.code)
        scans.push(body)
        keys.push(key)
        const opens = body.code === 'cs-1' || body.choice === 'person:7'
        const opened = body.code === 'cs-2' ? bela : opens ? asha : null
        const person = opened ?? [asha, bela].find(({ uid }) => uid === body.person) ?? null
        return { ...answer, outcome: opened ? 'person' : 'lent', person, ...answers.get(body.code) }
      },
      async pay(uid, form, key) {
        reach('pay')
        paid.push({ ...form, uid, key })
        return { receipt: { amount: form.amount, number: '2026-27/000001' } as Receipt, change: 40 + paid.length }
      },
      async waive(_charge, form) {
        reach('waive')
        waived.push(form)
        return { change: 60 }
      },
      async refund(uid, form, key) {
        reach('refund')
        refunded.push({ ...form, uid, key })
        return { change: 80 }
      },
      async charge(uid, form, key) {
        reach('charge')
        charged.push({ ...form, uid, key })
        return { change: 90 }
      },
      async reversePayment() {
        return { change: 91 }
      },
      async reverseCharge() {
        return { change: 92 }
      },
      async closing(form, key) {
        reach('closing')
        closed.push({ ...form, key })
        return { number: closed.length } as Closing
      },
      async lost(loan, price) {
        reach('lost')
        return { userId: 7, charges: [{ id: loan, amount: price, open: price } as Charge], change: 70 }
      },
      async undo(change) {
        reach('undo')
        undone.push(change)
        return { messages: [] }
      },
      isCopy: async (code) => code.startsWith('L'),
    },
  })
  const leave = desk.enter()
  const loaded = desk.resume()
  early?.(desk)
  await loaded
  return {
    desk,
    leave,
    rows,
    line,
    around,
    scans,
    keys,
    paid,
    undone,
    waived,
    refunded,
    charged,
    closed,
    answers,
    onEntry,
    onSignedOut,
  }
}

const labels = (desk: Desk) => desk.snapshot().waiting.map(({ label }) => label)
const newest = (desk: Desk) => desk.snapshot().log[0]
const fineOn = (id: number, open: number, more: Partial<DeskAnswer> = {}): Partial<DeskAnswer> => ({
  outcome: 'returned',
  charge: { id, open, amount: open } as Charge,
  charged: 7,
  messages: [{ code: 'desk.returnedBy', params: { title: 'T', name: 'Asha' }, text: 'Returned' }],
  change: 100 + id,
  ...more,
})

describe('R-DESK-9: a scan of a phone', () => {
  it('is sent under its own key, once however often it is told', async () => {
    const { desk, scans, keys } = await page()
    desk.scanFromPhone({ id: 5, key: 'key-0001', code: 'L000001' })
    desk.scanFromPhone({ id: 5, key: 'key-0001', code: 'L000001' })
    // Same code, another key: intended, because the phone filters bounces itself.
    desk.scanFromPhone({ id: 6, key: 'key-0002', code: 'L000001' })
    await after(0)
    expect(scans).toEqual([
      { code: 'L000001', phoneScan: 5 },
      { code: 'L000001', phoneScan: 6 },
    ])
    expect(keys).toEqual(['key-0001', 'key-0002'])
  })

  it('that was done before the page was loaded anew is no failure', async () => {
    const { desk, line } = await page()
    line.fails = () => new ProblemError({ status: 422, code: 'idempotency-key-reused', detail: '' })
    desk.scanFromPhone({ id: 5, key: 'key-0001', code: 'L000001' })
    await after(0)
    expect(desk.snapshot()).toMatchObject({ waiting: [], log: [] })
  })

  it('that waits over a reload is not done twice when the server tells it again', async () => {
    const first = await page()
    first.line.isCut = true
    first.desk.scanFromPhone({ id: 5, key: 'key-0001', code: 'L000001' })
    await after(0)
    const second = await page(first.rows)
    second.desk.scanFromPhone({ id: 5, key: 'key-0001', code: 'L000001' })
    await after(5000)
    expect(second.keys).toEqual(['key-0001'])
  })
})

describe('R-SEAM-1: a reload', () => {
  it('does not lose an Esc that comes before the stored tasks are back', async () => {
    const before = await page()
    before.desk.scan('cs-1')
    await after(0)
    before.line.isCut = true
    before.desk.scan('L1')
    await after(0)
    const { desk, scans } = await page(before.rows, (early) => {
      early.close()
      early.scan('L2')
    })
    await after(0)
    expect(scans).toMatchObject([{ code: 'Asha', choice: 'person:7' }, { code: 'L1', person: 7 }, { code: 'L2' }])
    expect(scans[2]).not.toHaveProperty('person')
    expect(desk.snapshot().open).toBeNull()
  })

  it('R-DESK-10 sends scans in order, for the person they are for, whose name stands there at once', async () => {
    const first = await page()
    first.desk.scan('cs-1')
    await after(0)
    first.line.isCut = true
    first.desk.scan('L1')
    first.desk.scan('L2')
    await after(100)
    const keys = first.desk.snapshot().waiting.map(({ key }) => key)
    const second = await page(first.rows)
    expect(second.desk.snapshot().open).toMatchObject({ uid: 7, name: 'Asha' })
    await after(0)
    const person = { person: 7, since: answer.at }
    expect(second.scans).toEqual([
      { code: 'Asha', choice: 'person:7' },
      { code: 'L1', ...person },
      { code: 'L2', ...person },
    ])
    expect(second.keys.slice(1)).toEqual(keys)
    expect(second.desk.snapshot()).toMatchObject({ waiting: [], open: { reader: asha } })
  })

  it('V6: keeps "close" in its place, so that the next book is lent to nobody', async () => {
    const first = await page()
    first.desk.scan('cs-1')
    await after(0)
    first.line.isCut = true
    first.desk.scan('L1')
    first.desk.close()
    first.desk.scan('L2')
    await after(100)
    const second = await page(first.rows)
    await after(0)
    expect(second.scans.slice(1)).toEqual([{ code: 'L1', person: 7, since: answer.at }, { code: 'L2' }])
    expect(second.desk.snapshot().open).toBeNull()
  })

  it('V6: keeps money that was taken on a cut line, and takes it once', async () => {
    const first = await page()
    first.answers.set('L1', fineOn(3, 10))
    first.desk.scan('L1')
    await after(0)
    first.line.isCut = true
    const task = { kind: 'pay', fines: { uid: 7, charges: [{ id: 3, open: 10 }] }, amount: 10, method: 'upi' } as const
    first.desk.act('Take ₹10', task)
    await after(100)
    const second = await page(first.rows)
    expect(labels(second.desk)).toEqual(['Take ₹10'])
    await after(0)
    expect(second.paid).toMatchObject([{ uid: 7, amount: 10, method: 'upi', charges: [3] }])
    expect(newest(second.desk)).toMatchObject({ outcome: { kind: 'settled', receipt: { amount: 10 } } })
    // The fine is restored after the reload, and is paid.
    expect(second.desk.snapshot().log.some((log) => isUnsettled(log, second.desk.snapshot().acts))).toBe(false)
    // The receipt is kept until it has been on the screen for a moment.
    await after(3000)
    expect(second.rows.size).toBe(0)
  })

  it('R-SEAM-6: keeps what is unsettled within reach, and nothing else', async () => {
    const first = await page()
    first.answers.set('L1', fineOn(3, 10))
    first.answers.set('L2', { outcome: 'ask', choices: [{ id: 'a', text: '', message: answer.messages[0] as never }] })
    for (const code of ['L1', 'L2', 'L3']) first.desk.scan(code)
    await after(0)
    const { desk } = await page(first.rows)
    expect(desk.snapshot().log.map(({ label, isRestored }) => [label, isRestored])).toEqual([
      ['L1', true],
      ['L2', true],
    ])
    desk.setAside(desk.snapshot().log[0] as never)
    await after(0)
    const third = await page(first.rows)
    expect(third.desk.snapshot().log.map(({ label }) => label)).toEqual(['L2'])
  })

  it('R-SEAM-9: takes the scans that an older page left, under their keys', async () => {
    const { desk, scans, keys } = await page()
    desk.takeOver({
      scans: [{ key: 'old-key', label: 'L1', request: { code: 'L1' } }],
      open: [{ uid: 7, name: 'Asha', since: answer.at }],
    })
    await after(0)
    expect(scans.at(-1)).toEqual({ code: 'L1', person: 7, since: answer.at })
    expect(keys.at(-1)).toBe('old-key')
  })

  it('R-SEAM-4: sends a scan that waited for a form', async () => {
    const first = await page()
    first.desk.hold('L1')
    await after(0)
    expect(first.scans).toEqual([])
    const second = await page(first.rows)
    second.line.isCut = true
    const third = await page(second.rows)
    await after(0)
    expect(third.scans).toEqual([{ code: 'L1' }])
  })
})

it('R-DESK-3, R-DESK-10: while scans wait, nobody closes before they are done', async () => {
  const { desk, line, scans } = await page()
  desk.scan('cs-1')
  await after(0)
  line.isCut = true
  desk.scan('L1')
  desk.close()
  await after(5 * 60_000)
  expect(desk.snapshot().open?.uid).toBe(7)
  line.isCut = false
  await after(3000)
  expect(scans.at(-1)).toEqual({ code: 'L1', person: 7, since: answer.at })
  expect(desk.snapshot().open).toBeNull()
})

describe('V1, R-DESK-10: a session that ended elsewhere', () => {
  /** Scans twice for one librarian; the server refuses the first scan, because the session has ended. */
  async function ended() {
    const left = await page()
    left.line.fails = signedOut
    left.desk.scan('L1')
    left.desk.scan('L2')
    await after(0)
    expect(left.onSignedOut).toHaveBeenCalledOnce()
    return left
  }

  it('keeps the scan that met it and those behind it, on the screen and over a reload, and sends nothing more', async () => {
    const { desk, scans, rows } = await ended()
    await after(60_000)
    expect(desk.snapshot().line).toBe('signed-out')
    expect(labels(desk)).toEqual(['L1', 'L2'])
    expect(rows.size).toBe(2)
    expect(scans).toEqual([])
  })

  it('sends each of them under its first key once the same person has signed in', async () => {
    const { desk, line, scans, keys, rows } = await ended()
    const first = desk.snapshot().waiting.map(({ key }) => key)
    line.fails = () => null
    void desk.resume()
    await after(0)
    expect(scans).toEqual([{ code: 'L1' }, { code: 'L2' }])
    expect(keys).toEqual(first)
    expect(desk.snapshot().line).toBe('clear')
    expect(rows.size).toBe(0)
  })

  it('sends none of them while another person is signed in', async () => {
    const { desk, line, around, scans, rows } = await ended()
    around.signedIn = 2
    line.fails = () => null
    void desk.resume()
    await after(60_000)
    expect(scans).toEqual([])
    expect(labels(desk)).toEqual(['L1', 'L2'])
    expect(rows.size).toBe(2)
  })
})

describe('V5, R-SEAM-5: two presses', () => {
  it('of Undo undo once', async () => {
    const { desk, undone, line } = await page()
    line.isCut = true
    for (let press = 0; press < 2; press++) desk.act('Undo', { kind: 'undo', change: 9 })
    expect(desk.snapshot().acts.get('undo 9')).toBe('sent')
    line.isCut = false
    await after(3000)
    desk.act('Undo', { kind: 'undo', change: 9 })
    await after(0)
    expect(undone).toEqual([9])
    expect(desk.snapshot().log).toHaveLength(1)
    expect(desk.snapshot().acts.get('undo 9')).toBe('done')
  })

  it('of a choice or an override choose once, and after a refusal again', async () => {
    const { desk, scans, line } = await page()
    const task = { kind: 'scan', request: { code: 'L1', choice: 'renew' }, card: 'answer-1' } as const
    desk.act('L1', task)
    desk.act('L1', task)
    await after(0)
    desk.act('L1', task)
    await after(0)
    expect(scans).toHaveLength(1)
    line.fails = refused
    desk.act('L2', { ...task, card: 'answer-2' })
    await after(0)
    line.fails = () => null
    desk.act('L2', { ...task, card: 'answer-2' })
    await after(0)
    expect(scans).toHaveLength(2)
  })

  it('of Take take once, wherever the two buttons stand', async () => {
    const { desk, paid, answers } = await page()
    answers.set('L1', fineOn(3, 10))
    desk.scan('L1')
    await after(0)
    const fines = { uid: 7, charges: [{ id: 3, open: 10 }] }
    for (const method of ['cash', 'upi'] as const) desk.act('Take', { kind: 'pay', fines, amount: 10, method })
    await after(0)
    expect(paid).toHaveLength(1)
  })
})

describe('L2: a bounce', () => {
  it('R-SEAM-5 changes nothing but the tick, and the fine stays', async () => {
    const { desk, scans, answers } = await page()
    answers.set('L1', fineOn(3, 10))
    desk.scan('L1')
    await after(500)
    const before = desk.snapshot().log
    desk.scan('l1')
    await after(500)
    expect(desk.snapshot().log).toBe(before)
    expect(desk.snapshot().bounced?.code).toBe('l1')
    expect(scans).toHaveLength(1)
  })

  it('is also the code that waits already as the last one', async () => {
    const { desk, line, scans } = await page()
    line.isCut = true
    desk.scan('L1')
    await after(4000)
    desk.scan('L1')
    expect(labels(desk)).toEqual(['L1'])
    line.isCut = false
    await after(3000)
    expect(scans).toHaveLength(1)
  })
})

describe('R-SEAM-6: what is unsettled', () => {
  it('a fine stays until it is paid; of a part the rest stays, and undone it is owed again', async () => {
    const { desk, answers } = await page()
    answers.set('L1', fineOn(3, 10))
    desk.scan('L1')
    desk.scan('L2')
    await after(0)
    const open = () => desk.snapshot().log.map((log) => fineOf(log, desk.snapshot().acts)?.open ?? null)
    expect(open()).toEqual([null, 10])
    const pay = { kind: 'pay', fines: { uid: 7, charges: [{ id: 3, open: 10 }] }, amount: 4, method: 'cash' } as const
    desk.act('Take', pay)
    await after(0)
    expect(open()).toEqual([null, null, 6])
    desk.act('Undo', { kind: 'undo', change: 41 })
    await after(0)
    expect(open()).toEqual([null, null, null, 10])
  })

  it('several fines of one reader are one sum, paid at once', async () => {
    const { desk, answers, paid } = await page()
    answers.set('L1', fineOn(3, 10))
    answers.set('L2', fineOn(4, 15))
    answers.set('L3', fineOn(5, 20, { charged: 8 }))
    for (const code of ['L1', 'L2', 'L3']) desk.scan(code)
    await after(0)
    const sums = () => sumsOf(desk.snapshot().log, desk.snapshot().acts)
    expect(sums()).toMatchObject([{ uid: 7, name: 'Asha', fines: [{ open: 15 }, { open: 10 }] }])
    const charges = [
      { id: 4, open: 15 },
      { id: 3, open: 10 },
    ]
    desk.act('Take ₹25', { kind: 'pay', fines: { uid: 7, charges }, amount: 25, method: 'cash' })
    expect(sums()).toEqual([])
    await after(0)
    expect(paid).toMatchObject([{ uid: 7, amount: 25, charges: [4, 3] }])
    const left = desk.snapshot().log.filter((log) => isUnsettled(log, desk.snapshot().acts))
    expect(left.map(({ label }) => label)).toEqual(['L3'])
  })

  it('the fine of a return that was undone is none', async () => {
    const { desk, answers } = await page()
    answers.set('L1', fineOn(3, 10))
    desk.scan('L1')
    await after(0)
    desk.act('Undo', { kind: 'undo', change: 103 })
    await after(0)
    expect(desk.snapshot().log.some((log) => isUnsettled(log, desk.snapshot().acts))).toBe(false)
  })

  it('R-SEAM-6: a result that nothing has shown yet is kept until the desk shows it', async () => {
    const first = await page()
    first.leave()
    const fines = { uid: 7, charges: [] }
    first.desk.act('Take ₹7', { kind: 'pay', fines, amount: 7, method: 'cash' })
    await after(0)
    expect(first.onEntry).toHaveBeenCalledWith(expect.objectContaining({ label: 'Take ₹7' }), false)
    const second = await page(first.rows)
    await after(0)
    expect(newest(second.desk)).toMatchObject({ label: 'Take ₹7', isRestored: true, outcome: { kind: 'settled' } })
    await after(3000)
    expect(first.rows.size).toBe(0)
    // An answer in the moment of a reload is kept, too.
    second.desk.act('Take ₹8', { kind: 'pay', fines, amount: 8, method: 'cash' })
    await after(0)
    const third = await page(first.rows)
    expect(newest(third.desk)).toMatchObject({ label: 'Take ₹8', isRestored: true })
  })

  it('R-SEAM-6: a choice that is offered beside an answer survives a reload until the next answer', async () => {
    const first = await page()
    const choices = [{ id: 'swap:9', message: { code: 'x', params: {}, text: 'Asha is returning it' } }]
    first.answers.set('L1', { choices: choices as DeskAnswer['choices'], messages: [] })
    first.desk.scan('L1')
    await after(0)
    const second = await page(first.rows)
    const restored = newest(second.desk)
    expect(restored && offersChoices(restored, second.desk.snapshot().acts)).toBe(true)
    second.desk.scan('L2')
    await after(0)
    expect(newest((await page(first.rows)).desk)).toBeUndefined()
  })

  it('R-SEAM-1: a payment of a whole account is one, however often it is sent, and its form learns the outcome', async () => {
    const { desk, line, paid } = await page()
    const pay = { kind: 'pay', fines: { uid: 7, charges: [] }, amount: 7, method: 'upi', reference: 'T-1' } as const
    const told: unknown[] = []
    line.fails = refused
    const key = desk.act('Take ₹7', pay) ?? ''
    expect(desk.act('Take ₹9', { ...pay, amount: 9 })).toBeNull()
    const close = desk.watch(key, (ending) => told.push(ending))
    await after(0)
    // The form shows the refusal with what was typed; the log stays without it.
    expect(told).toMatchObject([{ refused: { code: 'refused' } }])
    expect(desk.snapshot().log).toEqual([])
    close()
    // Without a form, the desk shows it.
    desk.act('Take ₹7', pay)
    await after(0)
    expect(newest(desk)).toMatchObject({ label: 'Take ₹7', outcome: { kind: 'failed' } })
    line.fails = () => null
    desk.watch(desk.act('Take ₹7', pay) ?? '', (ending) => told.push(ending))
    await after(0)
    expect(told[1]).toMatchObject({ done: { receipt: { amount: 7 } } })
    expect(paid).toMatchObject([{ uid: 7, amount: 7, method: 'upi', reference: 'T-1', charges: [] }])
  })

  it('a refused task is tried again as a new one, or set aside', async () => {
    const { desk, line, scans } = await page()
    line.fails = refused
    desk.scan('L1')
    await after(0)
    const failed = newest(desk)
    expect(failed && isUnsettled(failed, desk.snapshot().acts)).toBe(true)
    line.fails = () => null
    if (failed) desk.again(failed)
    await after(0)
    expect(scans).toEqual([{ code: 'L1' }])
    expect(failed && isUnsettled(failed, desk.snapshot().acts)).toBe(false)
  })

  it('V2: a scan that is given up stays by name', async () => {
    const { desk, line } = await page()
    line.fails = (code) => (code === 'L1' ? new ProblemError({ status: 500, code: 'internal', detail: '' }) : null)
    desk.scan('L1')
    desk.scan('L2')
    await after(5000)
    expect(newest(desk)?.label).toBe('L2')
    desk.giveUp(desk.snapshot().unknown[0]?.key ?? '')
    expect(newest(desk)).toMatchObject({ label: 'L1', outcome: { kind: 'set-aside' } })
  })

  it('V2: a reader who cannot be read again after a payment stays open by name, and is no task of the librarian', async () => {
    const { desk, line, paid } = await page()
    desk.scan('cs-1')
    await after(0)
    line.fails = (code) => (code === 'Asha' ? new ProblemError({ status: 500, code: 'internal', detail: '' }) : null)
    const fines = { uid: 7, charges: [{ id: 3, open: 10 }] }
    desk.act('Take', { kind: 'pay', fines, amount: 10, method: 'cash' })
    await after(5000)
    expect(paid).toHaveLength(1)
    expect(desk.snapshot()).toMatchObject({ waiting: [], unknown: [], open: { name: 'Asha' } })
  })

  it('an answer that comes late does not open its reader again', async () => {
    const { desk, line } = await page()
    line.fails = (code) => (code === 'cs-1' ? new ProblemError({ status: 500, code: 'internal', detail: '' }) : null)
    desk.scan('cs-1')
    await after(5000)
    line.fails = () => null
    desk.tryAgain(desk.snapshot().unknown[0]?.key ?? '')
    await after(0)
    expect(newest(desk)?.label).toBe('cs-1')
    expect(desk.snapshot().open).toBeNull()
  })
})

it('R-DESK-11: a card scanned at the book drop opens nobody and says why', async () => {
  const { desk } = await page()
  desk.setMode({ kind: 'drop', day: '2026-11-20' })
  desk.scan('cs-1')
  await after(0)
  const { open, log } = desk.snapshot()
  expect(open).toBeNull()
  expect(log[0]?.outcome).toMatchObject({ answer: { class: 'stop', messages: [{ code: 'desk.screen.dropCard' }] } })
})

it('R-DESK-11: a mode ends after an hour without a scan, also if the timer slept', async () => {
  const { desk, scans } = await page()
  desk.setMode({ kind: 'drop', day: '2026-11-20' })
  await after(59 * 60_000)
  desk.scan('L1')
  await after(59 * 60_000)
  expect(desk.snapshot().mode).not.toBeNull()
  await after(60_000)
  expect(desk.snapshot().mode).toBeNull()

  desk.setMode({ kind: 'drop', day: '2026-11-20' })
  vi.setSystemTime(Date.now() + 12 * 3_600_000)
  desk.scan('L2')
  await after(0)
  expect(desk.snapshot().mode).toBeNull()
  expect(scans.at(-1)).toEqual({ code: 'L2' })
})

it('R-SEAM-5: two presses of Extend are one extension', async () => {
  const { desk, scans } = await page()
  for (const barcode of ['L1', 'L2', 'L1', 'L2']) desk.extend(barcode, `Extend ${barcode}`)
  await after(0)
  expect(scans).toEqual([
    { code: 'L1', intent: 'renew' },
    { code: 'L2', intent: 'renew' },
  ])
})

it('R-DESK-7: a part of a fine is waived, and the rest stays open', async () => {
  const { desk, answers, waived } = await page()
  answers.set('L1', { outcome: 'returned', charge: { id: 3, open: 20 } as Charge, charged: 7 })
  desk.scan('L1')
  await after(0)
  const fines = { uid: 7, charges: [{ id: 3, open: 20 }] }
  desk.act('Waive', { kind: 'waive', fines, reason: 'Ill', amount: 5 })
  await after(0)
  expect(waived).toEqual([{ reason: 'Ill', amount: 5 }])
  const { log, acts } = desk.snapshot()
  expect(log.flatMap((one) => fineOf(one, acts) ?? []).map(({ open }) => open)).toEqual([15])
})

it('R-MONEY-4: a late answer to Declare lost offers the price until it is taken', async () => {
  const { desk } = await page()
  desk.act('Lost', { kind: 'lost', loan: { id: 5, title: 'Emma', userId: 7, userName: 'Asha' }, price: 350 })
  await after(0)
  const charges = () => {
    const { log, acts } = desk.snapshot()
    return log.flatMap((one) => chargesOfLost(one, acts)).map(({ id, open, uid }) => ({ id, open, uid }))
  }
  expect(charges()).toEqual([{ id: 5, open: 350, uid: 7 }])
  desk.act('Take', { kind: 'pay', fines: { uid: 7, charges: [{ id: 5, open: 350 }] }, amount: 300, method: 'cash' })
  expect(charges()).toEqual([])
  await after(0)
  expect(charges()).toEqual([{ id: 5, open: 50, uid: 7 }])
})

it('R-SEAM-1: a charge and a credit paid out are sent once, also by the page after a reload', async () => {
  const first = await page()
  first.line.isCut = true
  first.desk.act('Charge', { kind: 'charge', uid: 7, name: 'Asha', amount: 20, of: 'damage', reason: 'Wet' })
  expect(
    first.desk.act('Charge', { kind: 'charge', uid: 7, name: 'Asha', amount: 20, of: 'damage', reason: 'Wet' }),
  ).toBeNull()
  first.desk.act('Pay out', { kind: 'refund', uid: 7, name: 'Asha', amount: 5, method: 'cash', reference: '' })
  await after(0)
  expect(labels(first.desk)).toEqual(['Charge', 'Pay out'])
  const kept = first.desk.snapshot().waiting.map(({ key }) => key)
  const { desk, charged, refunded } = await page(first.rows)
  await after(0)
  expect(charged).toEqual([{ uid: 7, amount: 20, kind: 'damage', reason: 'Wet', key: kept[0] }])
  expect(refunded).toEqual([{ uid: 7, amount: 5, method: 'cash', reference: '', key: kept[1] }])
  const words = desk.snapshot().log.map((one) => messagesOf(one).join())
  expect(words).toEqual([expect.stringMatching(/^Asha: .*paid out/), expect.stringMatching(/^Asha: .*charged/)])
})

it('R-SEAM-1: a day whose closing got no answer is closed once, with the same body', async () => {
  const { desk, line, closed } = await page()
  const form = { after: 2, expected: 100, opening: 0, counted: 100, note: '' }
  line.fails = () => failing()
  desk.act('Close the day', { kind: 'closing', form })
  await after(60_000)
  const [unknown] = desk.snapshot().unknown
  if (!unknown) throw new Error('no task of unknown outcome')
  line.fails = () => null
  desk.tryAgain(unknown.key)
  await after(0)
  expect(closed).toEqual([{ ...form, key: unknown.key }])
})

it('R-SEAM-6: what was set aside stays under Earlier, also after a reload, until it is checked', async () => {
  const first = await page()
  first.line.fails = () => failing()
  first.desk.act('Charge', { kind: 'charge', uid: 7, name: 'Asha', amount: 20, of: 'damage', reason: 'Wet' })
  await after(60_000)
  const [unknown] = first.desk.snapshot().unknown
  first.desk.giveUp(unknown?.key ?? '')
  const { desk } = await page(first.rows)
  const [kept] = desk.snapshot().log
  if (!kept) throw new Error('no entry')
  expect([kept.label, isUnsettled(kept, desk.snapshot().acts)]).toEqual(['Charge', true])
  desk.setAside(kept)
  expect(isUnsettled(kept, desk.snapshot().acts)).toBe(false)
})

it('R-SEAM-7: a copy to be kept has its own class, and says first for whom', async () => {
  const { desk, answers } = await page()
  const hold = { state: 'ready', userName: 'Kabir' } as NonNullable<DeskAnswer['hold']>
  const next = [{ code: 'desk.next.keep', params: { name: 'Kabir' }, text: 'Keep for Kabir.' }]
  answers.set('L1', { outcome: 'returned', class: 'attention', hold, next })
  desk.scan('L1')
  await after(0)
  const [kept] = desk.snapshot().log
  if (!kept) throw new Error('no entry')
  expect([classOf(kept), nextOf(kept)]).toEqual(['keep', ['Keep for Kabir.']])
})

describe('R-DESK-3: a book is never lent to the reader before', () => {
  it('while what that reader has is read again, and the next card is scanned', async () => {
    const { desk, line, scans } = await page()
    desk.scan('cs-1')
    desk.scan('L000001')
    await after(0)
    line.isCut = true
    desk.act('Undo', { kind: 'undo', change: 4 })
    desk.scan('cs-2')
    desk.scan('L000002')
    line.isCut = false
    await after(3000)
    expect(desk.snapshot().open?.name).toBe('Bela')
    desk.scan('L000003')
    await after(0)
    expect(scans.at(-1)).toMatchObject({ code: 'L000003', person: 8 })
  })

  it('while what that reader has is read again, and Escape was pressed', async () => {
    const { desk, line } = await page()
    desk.scan('cs-1')
    await after(0)
    line.isCut = true
    desk.act('Undo', { kind: 'undo', change: 4 })
    desk.close()
    line.isCut = false
    await after(3000)
    expect(desk.snapshot().open).toBeNull()
  })

  it('when it is not known whether the next card was read', async () => {
    const { desk, line, scans } = await page()
    desk.scan('cs-1')
    await after(0)
    line.fails = (code) => (code === 'cs-2' ? new ProblemError({ status: 500, code: 'internal', detail: '' }) : null)
    for (const code of ['cs-2', 'L000001', 'L000002']) desk.scan(code)
    await after(5000)
    expect(desk.snapshot().unknown.map(({ label }) => label)).toEqual(['cs-2'])
    expect(scans.slice(1).map(({ code, person }) => [code, person])).toEqual([
      ['L000001', undefined],
      ['L000002', undefined],
    ])
    expect(desk.snapshot().open).toBeNull()
  })

  it('when it is not known whether the next card was read, and the page is loaded again', async () => {
    const { desk, line, rows } = await page()
    desk.scan('cs-1')
    await after(0)
    line.fails = (code) => (code === 'cs-2' ? new ProblemError({ status: 500, code: 'internal', detail: '' }) : null)
    desk.scan('cs-2')
    await after(5000)
    line.isCut = true
    desk.scan('L000001')
    const next = await page(rows)
    await after(5000)
    expect(next.scans.map(({ code, person }) => [code, person])).toEqual([['L000001', undefined]])
  })

  it('but the books behind one of unknown outcome are still for the open reader', async () => {
    const { desk, line, scans } = await page()
    desk.scan('cs-1')
    await after(0)
    line.fails = (code) => (code === 'L000001' ? new ProblemError({ status: 500, code: 'internal', detail: '' }) : null)
    for (const code of ['L000001', 'L000002']) desk.scan(code)
    await after(5000)
    expect(scans.at(-1)).toMatchObject({ code: 'L000002', person: 7 })
  })
})
