import { afterEach, expect, it, vi } from 'vitest'
import { listen } from './events'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const streaming = (text: string) => new Response(text, { headers: { 'Content-Type': 'text/event-stream' } })

it('R-DESK-9: whoever is cut off connects again, says what it has got, and stops when it is refused', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const refusal = { status: 401, code: 'phone-ended', title: 'Unauthorized', detail: 'Ended.' }
  const fetched = vi
    .fn<typeof fetch>()
    .mockImplementationOnce(async () => streaming(': here\n\nevent: answer\nid: 7\ndata: {"key":"k"}\n\n'))
    .mockImplementationOnce(async () => Promise.reject(new TypeError('no network')))
    .mockImplementationOnce(async () => new Response(JSON.stringify(refusal), { status: 401 }))
  vi.stubGlobal('fetch', fetched)
  const log: string[] = []
  const refused = vi.fn()
  listen('/phone/answers', {
    headers: { Authorization: 'Bearer t' },
    onEvent: ({ event, data }) => log.push(`${event} ${data}`),
    onConnected: (isConnected) => log.push(isConnected ? 'connected' : 'cut'),
    onRefused: refused,
  })
  await vi.waitFor(() => expect(log).toEqual(['connected', 'answer {"key":"k"}', 'cut']))
  await vi.advanceTimersByTimeAsync(1500)
  await vi.waitFor(() => expect(log).toHaveLength(4))
  // Each failed attempt doubles the pause.
  await vi.advanceTimersByTimeAsync(1500)
  expect(fetched).toHaveBeenCalledTimes(2)
  await vi.advanceTimersByTimeAsync(1500)
  await vi.waitFor(() => expect(refused).toHaveBeenCalledOnce())
  const lastIds = fetched.mock.calls.map(([, init]) => new Headers(init?.headers).get('Last-Event-ID'))
  expect(lastIds).toEqual([null, '7', '7'])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(fetched).toHaveBeenCalledTimes(3)
})
