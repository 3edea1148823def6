import type { Problem } from '../api/types'
import { t, translate } from './messages'

/** Codes of the server, and three for failures without a valid response of the server. */
type Code = Problem['code'] | 'unreachable' | 'timed-out' | 'unknown'

type Params = Readonly<Record<string, unknown>>

/** Field error as sent; older servers omit rule and parameters. */
type SentError = { field: string; message: string; rule?: string; params?: Params }
type SentReason = { code: string; facts: Params; text: string; id?: string; overridable?: boolean }
type Sent = Pick<Problem, 'status' | 'detail' | 'requestId'> & {
  code: Code
  params?: Params
  errors?: readonly SentError[]
  blocks?: readonly SentReason[]
}

/** Refusal or failure of a request, worded for the person; `status` is 0 if the server was not reached. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly status: number
  readonly code: Code
  /** Message by field name, for the form that sent it. */
  readonly fields: Readonly<Record<string, string>>
  /** Reasons of a refusal. */
  readonly reasons: readonly SentReason[]
  /** Ids of the reasons, if a librarian may override all of them. */
  readonly overridable: readonly string[]
  /** Id of the request in the server's log; undefined without a response of the server. */
  readonly requestId: string | null | undefined
  /** Seconds to wait before the next try, if the server says so. */
  readonly retryAfter: number | null

  constructor(sent: Sent, retryAfter: number | null = null) {
    const fields = Object.fromEntries((sent.errors ?? []).map((error) => [error.field, fieldMessage(error)]))
    super(sentence(sent, Object.values(fields)))
    this.status = sent.status
    this.code = sent.code
    this.fields = fields
    this.requestId = sent.requestId
    this.reasons = sent.blocks ?? []
    this.overridable = overridableOf(this.reasons)
    this.retryAfter = retryAfter
  }
}

function overridableOf(blocks: readonly SentReason[]): string[] {
  return blocks.every(({ overridable }) => overridable) ? blocks.map(({ id = '' }) => id) : []
}

/**
 * Builds the sentence like the server's `detail`: a single field error in full, several as a count, and all reasons of
 * a refusal.
 */
function sentence({ code, params = {}, detail, blocks = [] }: Sent, fields: readonly string[]): string {
  const [only, ...others] = fields
  if (only !== undefined && others.length === 0) return only
  return reasonsText(blocks) || translate(`problem.${code}`, params, detail)
}

/** Returns the reasons of a refusal in the reader's language; empty without reasons. Older servers omit some lists. */
export const reasonsText = (reasons: readonly SentReason[] = []): string =>
  reasons.map(({ code, facts, text }) => translate(code, facts, text)).join(' ')

/** Translates a field error. A rule without an area belongs to a field, whose label the server sends in English. */
export function fieldMessage({ message, rule, params = {} }: SentError): string {
  if (rule === undefined) return message
  const { label } = params
  const named = typeof label === 'string' ? { ...params, label: translate(`label.${label}`, {}, label) } : params
  return translate(rule.includes('.') ? rule : `field.${rule}`, named, message)
}

export function unreachable(): ProblemError {
  return new ProblemError({ status: 0, code: 'unreachable', detail: t('common.unreachable') })
}

export function timedOut(): ProblemError {
  return new ProblemError({ status: 0, code: 'timed-out', detail: t('common.timedOut') })
}

/** Converts a failed response, whose body need not be JSON (a proxy may answer in HTML). */
export function problemOf(response: Response, body: unknown): ProblemError {
  const wait = Number(response.headers.get('Retry-After'))
  const retryAfter = Number.isFinite(wait) && wait > 0 ? wait : null
  if (isProblem(body)) return new ProblemError(body, retryAfter)
  const detail = response.status >= 500 ? t('common.serverFailed') : t('common.failed')
  return new ProblemError({ status: response.status, code: 'unknown', detail }, retryAfter)
}

function isProblem(body: unknown): body is Problem {
  return (
    typeof body === 'object' &&
    body !== null &&
    'code' in body &&
    typeof body.code === 'string' &&
    'detail' in body &&
    typeof body.detail === 'string'
  )
}

/** Returns the message of each field that a refusal names. */
export const fieldsOf = (error: unknown): Record<string, string> =>
  error instanceof ProblemError ? { ...error.fields } : {}

/** Returns the sentence for anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof ProblemError ? error.message : t('common.failed')
}

/** True if the password was right and a second factor is required. */
export const isAskedForCode = (error: unknown): boolean =>
  error instanceof ProblemError && error.code === 'second-factor-needed'
