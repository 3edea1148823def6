import { vi } from 'vitest'
import type { paths } from '../api/schema'
import type { Problem } from '../api/types'
import english from '../messages/server.json'

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** Path such as `/books/{id}` with a number in place of each id. */
type Filled<Path extends string> = Path extends `${infer Before}{${string}}${infer After}`
  ? `${Before}${number}${Filled<After>}`
  : Path

type Headers = { headers?: Record<string, string> }

/** Documented response of a success; 200 is the default status. */
type Success<Responses> = {
  [Status in keyof Responses & number]: Responses[Status] extends { content: { 'application/problem+json': unknown } }
    ? never
    : Headers &
        (Status extends 200 ? { status?: 200 } : { status: Status }) &
        (Responses[Status] extends { content: { 'application/json': infer Body } } ? { body: Body } : { body?: never })
}[keyof Responses & number]

type Refusal = Headers & { status: number; body: Problem }

/** Answer of a handler: a documented success, a problem, or a raw `Response` that imitates one from a proxy. */
type Answer<Responses> = Success<Responses> | Refusal | Response

type Operation = {
  [Path in keyof paths]: {
    [M in Method]: paths[Path][M] extends { responses: infer Responses }
      ? { name: `${Uppercase<M>} ${Filled<Path>}`; answer: Answer<Responses> }
      : never
  }[Method]
}[keyof paths]

/** Responses by "METHOD /path" below the API's base, typed by the API document. */
export type Handlers = {
  [One in Operation as One['name']]?: One['answer'] | ((request: Request) => One['answer'] | Promise<One['answer']>)
}

type AnyAnswer = Response | (Headers & { status?: number; body?: unknown })
type AnyHandler = AnyAnswer | ((request: Request) => AnyAnswer | Promise<AnyAnswer>)

/** Replaces `fetch` by these handlers; a request without a handler gets 404. Returns the requests made. */
export function fakeServer(handlers: Handlers): Request[] {
  const byName: Readonly<Record<string, AnyHandler | undefined>> = handlers
  const made: Request[] = []
  vi.stubGlobal('fetch', async (input: RequestInfo | URL, init?: RequestInit) => {
    const request = new Request(input, init)
    made.push(request.clone())
    const path = new URL(request.url).pathname.replace('/library/api/v1', '')
    const handler = byName[`${request.method} ${path}`] ?? problem(404, 'not-found')
    const answer = typeof handler === 'function' ? await handler(request) : handler
    if (answer instanceof Response) return answer.clone()
    const { status = 200, body, headers } = answer
    return new Response(body === undefined ? null : JSON.stringify(body), {
      status,
      headers: { 'Content-Type': status >= 400 ? 'application/problem+json' : 'application/json', ...headers },
    })
  })
  return made
}

const words: Readonly<Record<string, string>> = english

/** Builds a refusal like the server's; `detail` is the English text of the code. */
export function problem(status: number, code: Problem['code'], more: Partial<Problem> = {}): Refusal {
  const detail = words[`problem.${code}`] ?? code
  return { status, body: { type: 'about:blank', title: code, status, code, detail, params: {}, ...more } }
}

/** Builds a field error; `message` is the text for a rule that the page does not know. */
export const wrong = (field: string, rule: string, params: Record<string, unknown> = {}, message = rule) => ({
  field,
  rule,
  params,
  message,
})
