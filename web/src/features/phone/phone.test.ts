import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { PhoneAnswer, PhoneScanForm } from '../../api/types'
import { ProblemError, unreachable } from '../../lib/problem'
import { Phone } from './phone'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const answer = (key: string): PhoneAnswer => ({ key, answer: { outcome: 'lent', class: 'ok', messages: [] } })

describe('R-DESK-9: what a phone reads', () => {
  it('is sent in order, and each code with one key, however often the connection is cut', async () => {
    const sent: PhoneScanForm[] = []
    let isCut = true
    const phone = new Phone(async (scan) => {
      sent.push(scan)
      if (isCut) throw unreachable()
    }, vi.fn())
    phone.scan('L000001')
    phone.scan('L000002')
    await vi.advanceTimersByTimeAsync(2500)
    expect(phone.snapshot().cut).toBe(true)
    expect(sent.map(({ code }) => code)).toEqual(['L000001', 'L000001'])
    isCut = false
    await vi.advanceTimersByTimeAsync(2000)
    expect(sent.map(({ code }) => code)).toEqual(['L000001', 'L000001', 'L000001', 'L000002'])
    expect(new Set(sent.map(({ key }) => key)).size).toBe(2)
    expect(phone.snapshot()).toMatchObject({ cut: false, waiting: [{ sent: true }, { sent: true }] })
  })

  it('waits until the desk has answered, and an answer that comes early is no trouble', async () => {
    const told = vi.fn()
    const phone = new Phone(async ({ key }) => phone.hear(answer(key)), told)
    phone.scan('L000001')
    await vi.advanceTimersByTimeAsync(0)
    expect(phone.snapshot()).toMatchObject({ waiting: [], told: { code: 'L000001', answer: { outcome: 'lent' } } })
    expect(told).toHaveBeenCalledWith('ok')
  })

  it('waits as long as the server asks, and stops when the phone was disconnected', async () => {
    const problem = (status: number, code: 'too-many-requests' | 'phone-ended', wait: number | null) =>
      new ProblemError({ status, code, detail: '' }, wait)
    let next: ProblemError = problem(429, 'too-many-requests', 10)
    const send = vi.fn(() => Promise.reject(next))
    const phone = new Phone(send, vi.fn())
    phone.scan('L000001')
    await vi.advanceTimersByTimeAsync(9900)
    expect(send).toHaveBeenCalledTimes(1)
    next = problem(401, 'phone-ended', null)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(send).toHaveBeenCalledTimes(2)
    expect(phone.snapshot()).toMatchObject({ over: 'ended', waiting: [{ code: 'L000001' }] })
  })
})
