import { useMutation, useQueryClient, type QueryClient, type QueryKey } from '@tanstack/react-query'
import { useEffect, useId, useRef } from 'react'
import { focusAgain } from '../lib/focus'
import { newKey } from '../lib/newKey'
import { t } from '../lib/messages'
import { notify, samePerson } from '../lib/notify'
import { messageOf, ProblemError } from '../lib/problem'
import { isSignedOut, reach } from './client'

/** A write: its request, and its effects on the data cached in this browser. */
export type Action<Input, Output> = {
  /** Name of the write; with the input it identifies a retry. */
  name: string
  /** `call` is passed to the request unchanged. */
  send: (input: Input, call: Call) => Promise<Output>
  /** Queries to invalidate. `output` is undefined after a failure, when the state on the server is unknown. */
  changes?: (input: Input, output: Output | undefined) => readonly QueryKey[]
  /** Updates the cache from the response. */
  learn?: (queries: QueryClient, output: Output, input: Input) => void
  /** Text for the console on an unexpected failure. */
  fault?: string
  /** What the notice of a success is about: a later success about the same replaces it, with its Undo. */
  about?: (input: Input, output: Output) => string
  /** Codes of refusals that the screen handles itself; they are not logged. */
  expected?: readonly string[]
}

/** Lets the compiler infer the types of an action. */
export const action = <Input, Output>(it: Action<Input, Output>): Action<Input, Output> => it

export type Call = { headers: { 'Idempotency-Key': string }; fetch: (request: Request) => Promise<Response> }

/** Texts of the notices; without a text, the screen itself reports the outcome. */
export type Notices<Input, Output> = {
  done?: (output: Output, input: Input) => string
  /** Null if the screen itself shows the failure. */
  failed?: (reason: string, error: unknown) => string | null
}

export type Outcome<Output> = {
  /** Settles once the invalidated queries are reloaded. */
  refreshed: Promise<unknown>
} & ({ ok: true; output: Output } | { ok: false; error: unknown })

/**
 * Performs a write once, however often its button is pressed: a retry after a lost response carries the key of the
 * first attempt, so that the server does nothing twice. If the response names a change that the person may undo, the
 * notice offers Undo. If the session has ended, no notice is shown, because the app opens sign-in.
 */
export function useAction<Input, Output>(it: Action<Input, Output>, notices: Notices<Input, Output> = {}) {
  const queries = useQueryClient()
  const id = useId()

  const mutation = useMutation({
    mutationKey: [it.name],
    mutationFn: async (input: Input) => {
      let change: number | null = null
      const call: Call = {
        headers: { 'Idempotency-Key': intents.keyOf(it.name, input) },
        async fetch(request) {
          const response = await reach(request)
          change = Number(response.headers.get('Undoable-Change')) || null
          return response
        },
      }
      const output = await onceMore(() => it.send(input, call))
      return { output, undo: change === null ? undefined : undoing(queries, change) }
    },
    onSuccess: ({ output }, input) => it.learn?.(queries, output, input),
    onSettled: (_output, error, input) => intents.settle(it.name, input, error),
  })

  // The pressed button loses the focus while it is busy; after a failure it gets the focus back.
  const pressed = useRef<Element | null>(null)
  useEffect(() => {
    if (mutation.isError) focusAgain(pressed.current)
  }, [mutation.isError])

  const refresh = (input: Input, output: Output | undefined) =>
    Promise.all((it.changes?.(input, output) ?? []).map((queryKey) => queries.invalidateQueries({ queryKey })))

  async function run(input: Input): Promise<Outcome<Output>> {
    const notice = `${id} ${JSON.stringify(input)}`
    notify.hide(notice)
    const forMe = samePerson()
    pressed.current = document.activeElement
    try {
      const { output, undo } = await mutation.mutateAsync(input)
      const refreshed = refresh(input, output)
      if (notices.done && forMe()) notify.success(notices.done(output, input), undo, it.about?.(input, output))
      return { ok: true, output, refreshed }
    } catch (error) {
      if (isSignedOut(error)) return { ok: false, error, refreshed: Promise.resolve() }
      const isExpected = error instanceof ProblemError && it.expected?.includes(error.code)
      if (it.fault && !isExpected) console.error(it.fault, error)
      const failed = notices.failed?.(messageOf(error), error) ?? null
      const told = failed === null ? null : (notKnown(error) ?? failed)
      if (told !== null && forMe()) notify.failure(told, notice)
      return { ok: false, error, refreshed: refresh(input, undefined) }
    }
  }

  return {
    run,
    /** True while the write is under way. */
    pending: mutation.isPending,
    succeeded: mutation.isSuccess,
    /** Error of the last attempt. */
    error: isSignedOut(mutation.error) ? null : mutation.error,
    reset: mutation.reset,
  }
}

/** Pause before a request with an unknown outcome is repeated once, under its key, milliseconds. */
const AGAIN_MS = 500

/**
 * True if the server may have done what it was asked: no answer came although there is a network, or an error of the server
 * or a proxy. After 503 nothing was changed.
 */
const isUnknown = (error: unknown): boolean =>
  error instanceof ProblemError && (error.status === 0 ? navigator.onLine : error.status >= 500 && error.status !== 503)

/** Sends a request, and once more under its key if its outcome is unknown. A repeat after a time-out would double the wait. */
export async function onceMore<Output>(send: () => Promise<Output>): Promise<Output> {
  try {
    return await send()
  } catch (error) {
    if (!isUnknown(error) || (error as ProblemError).code === 'timed-out') throw error
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
    return send()
  }
}

/** Returns the sentence about a write with an unknown outcome; null if the outcome is known. */
export const notKnown = (error: unknown): string | null =>
  isUnknown(error) ? t('common.notKnown', { reason: messageOf(error) }) : null

/** Returns the handler of a notice's Undo button. A second press carries the key of the first. */
export function undoing(queries: QueryClient, change: number): () => Promise<void> {
  const key = newKey()
  return async () => (await import('./undo')).takeBack(queries, change, key)
}

/** Time after which a repeat is a new request. */
const INTENT_MS = 5 * 60_000

/** Idempotency keys of writes with an unknown outcome. */
class Intents {
  readonly #keys = new Map<string, { key: string; at: number }>()

  readonly keyOf = (name: string, input: unknown): string => {
    const now = Date.now()
    for (const [old, { at }] of this.#keys) if (now - at >= INTENT_MS) this.#keys.delete(old)
    const intent = intentOf(name, input)
    const key = this.#keys.get(intent)?.key ?? newKey()
    this.#keys.set(intent, { key, at: now })
    return key
  }

  readonly settle = (name: string, input: unknown, error: unknown): void => {
    const unknown = error instanceof ProblemError ? error.status === 0 || error.status >= 500 : error !== null
    if (!unknown) this.#keys.delete(intentOf(name, input))
  }

  readonly clear = (): void => this.#keys.clear()
}

const intentOf = (name: string, input: unknown): string => `${name} ${JSON.stringify(input) ?? ''}`

/**
 * Intents of this page. They outlive a dialog: after a lost answer, a dialog that is closed and opened again repeats the
 * same request.
 */
const intents = new Intents()

/** Drops all intents, when another person uses the page. */
export const clearIntents = (): void => intents.clear()
