import createClient from 'openapi-fetch'
import { ProblemError, problemOf, timedOut, unreachable } from '../lib/problem'
import { messagesStarted } from '../lib/messages'
import type { paths } from './schema'

/** Time limits of reads and writes. A later response is dropped, because the screen already shows the failure. */
const READ_TIMEOUT_MS = 20_000
const WRITE_TIMEOUT_MS = 30_000

declare global {
  interface Window {
    /** Responses that public/start.js has requested, by address. */
    early?: Record<string, Promise<Response>>
  }
}

/** Returns whether the response that public/start.js requested from this path waits to be taken. */
export const isEarly = (path: string): boolean =>
  Object.keys(window.early ?? {}).some((url) => url.includes(`/api/v1${path}`))

/** Returns the response requested by public/start.js, once. */
function early(url: string): Promise<Response> | undefined {
  const begun = window.early?.[url]
  delete window.early?.[url]
  return begun
}

/** `fetch` with a time-out, and with errors that can be shown. */
export async function reach(
  request: Request,
  limit = request.method === 'GET' ? READ_TIMEOUT_MS : WRITE_TIMEOUT_MS,
): Promise<Response> {
  const timeout = AbortSignal.timeout(limit)
  try {
    const response = await (early(request.url) ??
      fetch(request, { signal: AbortSignal.any([request.signal, timeout]) }))
    hear(response)
    return response
  } catch (error) {
    await messagesStarted()
    throw failureOf(error)
  }
}

/** Returns the error to show if there was no response; returns an abort unchanged, because screens do not show it. */
function failureOf(error: unknown): unknown {
  if (!(error instanceof DOMException)) return unreachable()
  if (error.name === 'AbortError') return error
  return error.name === 'TimeoutError' ? timedOut() : unreachable()
}

const unheard: Response[] = []
let hear = (answer: Response): void => void unheard.push(answer)

/** Sets the listener of API responses, and passes it all earlier responses. */
export function onAnswer(listener: typeof hear): void {
  hear = listener
  unheard.splice(0).forEach(listener)
}

export const API = new URL('/library/api/v1', location.origin).href

/** Marks requests that do not count as activity, because pages send them by themselves. `presence.ts` reports activity. */
export const BACKGROUND = { 'Library-Background': '1' }

export const client = createClient<paths>({ baseUrl: API, fetch: reach, headers: BACKGROUND })

let whenSignedOut: () => void = () => undefined

/** Sets the function that runs when a call finds that the session has ended. */
export function onSignedOut(react: () => void): void {
  whenSignedOut = react
}

/** Reports that the session has ended, which leads to sign-in. */
export const signedOut = (): void => whenSignedOut()

type Answer<T> = { data?: T; error?: unknown; response: Response }

/** Returns the data of a successful response; throws a `ProblemError` for any other. */
export async function dataOf<T>(call: Promise<Answer<T>>): Promise<T> {
  return (await answerOf(call)).data
}

/** Same as `dataOf`, with the response for its headers. Every call passes through here, so an ended session is noticed. */
export async function answerOf<T>(call: Promise<Answer<T>>): Promise<{ data: T; response: Response }> {
  const { data, error, response } = await settled(call)
  if (response.ok) return { data: data as T, response }
  await messagesStarted()
  const problem = problemOf(response, error)
  if (isSignedOut(problem)) signedOut()
  throw problem
}

async function settled<T>(call: Promise<Answer<T>>): Promise<Answer<T>> {
  try {
    return await call
  } catch (error) {
    // The body is not JSON although the response says so, or the connection broke or went silent half-way.
    if (error instanceof SyntaxError || error instanceof TypeError) throw unreachable()
    throw error instanceof DOMException ? failureOf(error) : error
  }
}

/** True if a call failed because the session has ended or never began. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ProblemError && error.code === 'not-signed-in'
}
