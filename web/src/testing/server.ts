import { vi } from 'vitest'

type Answer = { status?: number; body?: unknown; headers?: Record<string, string> }
type Handler = Answer | ((request: Request) => Answer | Promise<Answer>)

/**
 * Stands in for the server: answers by "METHOD /path" below the API's base, 404 for anything else. Returns the requests
 * that were made.
 */
export function fakeServer(handlers: Record<string, Handler>): Request[] {
  const made: Request[] = []
  vi.stubGlobal('fetch', async (input: RequestInfo | URL, init?: RequestInit) => {
    const request = new Request(input, init)
    made.push(request.clone())
    const path = new URL(request.url).pathname.replace('/library/api/v1', '')
    const handler = handlers[`${request.method} ${path}`]
    const answer: Answer =
      typeof handler === 'function'
        ? await handler(request)
        : (handler ?? problem(404, 'not-found', 'There is no such thing.'))
    const status = answer.status ?? (answer.body === undefined ? 204 : 200)
    return new Response(answer.body === undefined ? null : JSON.stringify(answer.body), {
      status,
      headers: {
        'Content-Type': status >= 400 ? 'application/problem+json' : 'application/json',
        ...answer.headers,
      },
    })
  })
  return made
}

export function problem(status: number, code: string, detail: string, errors?: { field: string; message: string }[]) {
  return { status, body: { type: 'about:blank', title: detail, status, detail, code, ...(errors && { errors }) } }
}
