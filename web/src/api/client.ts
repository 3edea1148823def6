import createClient from 'openapi-fetch'
import { ProblemError, problemOf, timedOut, unreachable } from '../lib/problem'
import { messagesStarted } from '../lib/messages'
import type { paths } from './schema'

/** Whoever has waited this long is told so: an answer that comes later is dropped. */
const READ_TIMEOUT_MS = 20_000
const WRITE_TIMEOUT_MS = 30_000

declare global {
  interface Window {
    /** Answers that public/start.js has asked for, by address. */
    early?: Record<string, Promise<Response>>
  }
}

/** Takes an early answer, once. */
function early(url: string): Promise<Response> | undefined {
  const begun = window.early?.[url]
  delete window.early?.[url]
  return begun
}

/** `fetch` with a time-out, and with failures that can be told. */
export async function reach(request: Request): Promise<Response> {
  const timeout = AbortSignal.timeout(request.method === 'GET' ? READ_TIMEOUT_MS : WRITE_TIMEOUT_MS)
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

/** What a person is told when no answer came; an abort is nothing to tell. */
function failureOf(error: unknown): unknown {
  if (!(error instanceof DOMException)) return unreachable()
  if (error.name === 'AbortError') return error
  return error.name === 'TimeoutError' ? timedOut() : unreachable()
}

const unheard: Response[] = []
let hear = (answer: Response): void => void unheard.push(answer)

/** Sets the listener of every API answer, past answers included. */
export function onAnswer(listener: typeof hear): void {
  hear = listener
  unheard.splice(0).forEach(listener)
}

export const API = new URL('/library/api/v1', location.origin).href

/** Reading does not tell the server that anybody is there: pages also read by themselves. Who is, `presence.ts` says. */
export const BACKGROUND = { 'Library-Background': '1' }

export const client = createClient<paths>({ baseUrl: API, fetch: reach, headers: BACKGROUND })

let whenSignedOut: () => void = () => undefined

/** Sets what happens when a call finds that the session has ended. */
export function onSignedOut(react: () => void): void {
  whenSignedOut = react
}

/** Leads to sign-in: the session has ended. */
export const signedOut = (): void => whenSignedOut()

type Answer<T> = { data?: T; error?: unknown; response: Response }

/** The data of a successful answer; anything else is thrown as a `ProblemError`. */
export async function dataOf<T>(call: Promise<Answer<T>>): Promise<T> {
  return (await answerOf(call)).data
}

/** The same with the response beside the data, for its headers. Every call passes here, so an ended session is noticed here. */
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
    // A body that is not JSON although the answer says so, or a connection lost or gone quiet half-way.
    if (error instanceof SyntaxError) throw unreachable()
    throw error instanceof DOMException ? failureOf(error) : error
  }
}

/** Whether a call failed because the session has ended or never began. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ProblemError && error.code === 'not-signed-in'
}
