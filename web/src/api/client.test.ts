import { expect, it, vi } from 'vitest'
import { fakeServer, problem } from '../testing/server'
import { onSignedOut } from './client'
import { scanAtDesk } from './desk'

it('V1: a call outside every cache that finds the session ended leads to sign-in too', async () => {
  const lead = vi.fn()
  onSignedOut(lead)
  fakeServer({ 'POST /desk/scans': problem(401, 'not-signed-in') })
  await expect(scanAtDesk({ code: 'L000001' }, 'key-0001', new AbortController().signal)).rejects.toThrow()
  expect(lead).toHaveBeenCalledOnce()
})

it('an answer that breaks off half-way counts as no answer', async () => {
  const body = new ReadableStream({ pull: (stream) => stream.error(new TypeError('network error')) })
  const headers = { 'Content-Type': 'application/json' }
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(body, { headers })))
  const scan = scanAtDesk({ code: 'L000001' }, 'key-0001', new AbortController().signal)
  await expect(scan).rejects.toMatchObject({ code: 'unreachable', status: 0 })
})
