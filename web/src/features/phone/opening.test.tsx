import { renderHook, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { tabStorage } from '../../lib/storage'
import { fakeServer, problem } from '../../testing/server'
import { useOpening } from './opening'

beforeEach(() => {
  sessionStorage.clear()
  history.replaceState(null, '', '/library/phone#code-of-the-desk')
})
afterEach(() => {
  vi.useRealTimers()
  history.replaceState(null, '', '/')
})

const bodyOf = async (request: Request | undefined) => (await request?.json()) as { code: string; token: string }

it('R-SEAM-8: exchanges the code for a token of its own, which stays in the tab', async () => {
  const made = fakeServer({ 'POST /phone/open': { status: 204 } })
  const { result } = renderHook(useOpening)
  await waitFor(() => expect(result.current.state).toBe('open'))
  const { code, token } = await bodyOf(made[0])
  expect(code).toBe('code-of-the-desk')
  expect(token).toMatch(/^[\w-]{43}$/)
  expect(result.current).toMatchObject({ state: 'open', token })
  expect(location.hash).toBe('')
  expect(renderHook(useOpening).result.current).toEqual(result.current)
  expect(made).toHaveLength(1)
})

it('R-SEAM-5: repeats the same exchange after a lost answer and a reload', async () => {
  vi.useFakeTimers()
  const made = fakeServer({ 'POST /phone/open': () => Response.error() })
  const first = renderHook(useOpening)
  await vi.advanceTimersByTimeAsync(2500)
  expect(first.result.current).toEqual({ state: 'opening', isCut: true })
  expect(made).toHaveLength(2)
  first.unmount()

  const again = fakeServer({ 'POST /phone/open': { status: 204 } })
  const { result } = renderHook(useOpening)
  await vi.advanceTimersByTimeAsync(0)
  expect(result.current.state).toBe('open')
  expect(await bodyOf(again[0])).toEqual(await bodyOf(made[0]))
})

it('R-SEAM-8: says that another phone has used the code, and does not try again', async () => {
  const made = fakeServer({ 'POST /phone/open': problem(409, 'phone-code-used') })
  const { result } = renderHook(useOpening)
  await waitFor(() => expect(result.current.state).toBe('refused'))
  expect(result.current).toMatchObject({
    reason: expect.stringContaining('Another phone has already used this code') as string,
  })
  expect(made).toHaveLength(1)
  expect(renderHook(useOpening).result.current.state).toBe('none')
  expect(tabStorage.read('phoneToken')).toBeNull()
})
