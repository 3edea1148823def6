import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { PhoneAnswer, PhoneScanForm } from '../../api/types'
import { memoryStore, type Row } from '../../lib/outboxStore'
import { ProblemError, unreachable } from '../../lib/problem'
import { Phone } from './phone'

beforeEach(() => {
  vi.useFakeTimers()
  sessionStorage.clear()
})
afterEach(() => void vi.useRealTimers())

const answer = (key: string): PhoneAnswer => ({ key, answer: { outcome: 'lent', class: 'ok', messages: [] } })

/** Creates a phone's page over stored rows. */
async function page(
  send: (scan: PhoneScanForm) => Promise<unknown>,
  onAnswer = vi.fn(),
  rows = new Map<string, Row>(),
) {
  const phone = new Phone({ owner: 'pairing-1', store: memoryStore(rows), send, onAnswer })
  await phone.resume()
  return phone
}

describe('R-DESK-9: what a phone reads', () => {
  it('is sent in order, and each code with one key, however often the connection is cut', async () => {
    const sent: PhoneScanForm[] = []
    let isCut = true
    const phone = await page(async (scan) => {
      sent.push(scan)
      if (isCut) throw unreachable()
    })
    phone.scan('L000001')
    phone.scan('L000002')
    await vi.advanceTimersByTimeAsync(2500)
    expect(phone.snapshot().isOffline).toBe(true)
    expect(sent.map(({ code }) => code)).toEqual(['L000001', 'L000001'])
    isCut = false
    await vi.advanceTimersByTimeAsync(2000)
    expect(sent.map(({ code }) => code)).toEqual(['L000001', 'L000001', 'L000001', 'L000002'])
    expect(new Set(sent.map(({ key }) => key)).size).toBe(2)
    expect(phone.snapshot()).toMatchObject({ isOffline: false, waiting: [{ sent: true }, { sent: true }] })
  })

  it('waits until the desk has answered, and an answer that comes early is no trouble', async () => {
    const told = vi.fn()
    const phone: Phone = await page(async ({ key }) => phone.hear(answer(key)), told)
    phone.scan('L000001')
    await vi.advanceTimersByTimeAsync(0)
    expect(phone.snapshot()).toMatchObject({
      waiting: [],
      lastAnswer: { code: 'L000001', answer: { outcome: 'lent' } },
    })
    expect(told).toHaveBeenCalledWith('ok')
  })

  it('waits as long as the server asks, and stops when the phone was disconnected', async () => {
    const problem = (status: number, code: 'too-many-requests' | 'phone-ended', wait: number | null) =>
      new ProblemError({ status, code, detail: '' }, wait)
    let next: ProblemError = problem(429, 'too-many-requests', 10)
    const send = vi.fn(() => Promise.reject(next))
    const phone = await page(send)
    phone.scan('L000001')
    await vi.advanceTimersByTimeAsync(9900)
    expect(send).toHaveBeenCalledTimes(1)
    next = problem(401, 'phone-ended', null)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(send).toHaveBeenCalledTimes(2)
    expect(phone.snapshot()).toMatchObject({ over: 'ended', waiting: [{ code: 'L000001' }] })
  })

  it('V13: outlives the page, and goes on under the same keys', async () => {
    const rows = new Map<string, Row>()
    const first = await page(() => Promise.reject(unreachable()), vi.fn(), rows)
    first.scan('L000001')
    first.scan('L000002')
    await vi.advanceTimersByTimeAsync(100)
    const keys = first.snapshot().waiting.map(({ key }) => key)
    const sent: PhoneScanForm[] = []
    const second = await page(async (scan) => sent.push(scan), vi.fn(), rows)
    await vi.advanceTimersByTimeAsync(0)
    expect(sent.map(({ key }) => key)).toEqual(keys)
    // Codes that the server has accepted wait for the desk, also over another reload.
    const third = await page(async () => undefined, vi.fn(), rows)
    expect(third.snapshot().waiting).toEqual(second.snapshot().waiting)
    expect(third.snapshot().waiting.map(({ code }) => code)).toEqual(['L000001', 'L000002'])
    third.hear(answer(keys[0] ?? ''))
    expect(third.snapshot()).toMatchObject({ lastAnswer: { code: 'L000001' }, waiting: [{ code: 'L000002' }] })
  })

  it('V13: waits while another phone has its place, and goes on by itself when this one scans again', async () => {
    const send = vi.fn((_scan: PhoneScanForm) => Promise.resolve())
    const phone = await page(send)
    phone.end('elsewhere')
    phone.scan('L000001')
    await vi.advanceTimersByTimeAsync(5000)
    expect(send).not.toHaveBeenCalled()
    phone.end(null)
    await vi.advanceTimersByTimeAsync(0)
    expect(send).toHaveBeenCalledOnce()
  })

  it('V2: names a code that the server failed to answer three times, and goes on', async () => {
    const send = vi.fn(({ code }: PhoneScanForm) =>
      code === 'L000001'
        ? Promise.reject(new ProblemError({ status: 500, code: 'internal', detail: '' }))
        : Promise.resolve(),
    )
    const phone = await page(send)
    phone.scan('L000001')
    phone.scan('L000002')
    await vi.advanceTimersByTimeAsync(5000)
    expect(phone.snapshot().unknown.map(({ label }) => label)).toEqual(['L000001'])
    expect(phone.snapshot().waiting).toMatchObject([{ code: 'L000002', sent: true }])
  })
})
