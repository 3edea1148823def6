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
