import createClient from 'openapi-fetch'
import { ProblemError, problemOf, unreachable } from '../lib/problem'
import type { paths } from './schema'

async function reach(request: Request): Promise<Response> {
  try {
    return await fetch(request)
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw unreachable()
  }
}

export const client = createClient<paths>({ baseUrl: new URL('/library/api/v1', location.origin).href, fetch: reach })

type Answer<T> = { data?: T; error?: unknown; response: Response }

/** The data of a successful answer; anything else is thrown as a `ProblemError`. */
export async function dataOf<T>(call: Promise<Answer<T>>): Promise<T> {
  return (await answerOf(call)).data
}

/** The same with the response beside the data, for its headers. */
export async function answerOf<T>(call: Promise<Answer<T>>): Promise<{ data: T; response: Response }> {
  const { data, error, response } = await settled(call)
  if (!response.ok) throw problemOf(response, error)
  return { data: data as T, response }
}

async function settled<T>(call: Promise<Answer<T>>): Promise<Answer<T>> {
  try {
    return await call
  } catch (error) {
    // A body that is not JSON although the answer says so, or a connection lost half-way.
    if (error instanceof SyntaxError) throw unreachable()
    throw error
  }
}

/** Whether a call failed because nobody is signed in (any longer). */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ProblemError && error.code === 'not-signed-in'
}
