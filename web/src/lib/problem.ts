import type { Problem } from '../api/types'
import { t, told } from './messages'

/** The server's stable codes, and three for an answer that is not the server's. */
type Code = Problem['code'] | 'unreachable' | 'timed-out' | 'unknown'

type Params = Readonly<Record<string, unknown>>

/** As the server sends it; what names the words in other languages may be missing. */
type Sent = Pick<Problem, 'status' | 'detail'> & {
  code: Code
  params?: Params
  errors?: readonly { field: string; message: string; rule?: string; params?: Params }[]
}

/** What the server refused or could not do, in words for the person. `status` 0 means that it could not be reached. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly status: number
  readonly code: Code
  /** Message per field name, for the form that sent it. */
  readonly fields: Readonly<Record<string, string>>
  /** Seconds to wait before trying again, where the server says so. */
  readonly retryAfter: number | null

  constructor({ status, code, params = {}, detail, errors = [] }: Sent, retryAfter: number | null = null) {
    super(told(`problem.${code}`, params, detail))
    this.status = status
    this.code = code
    this.fields = Object.fromEntries(
      errors.map(({ field, message, rule, params: of = {} }) => [
        field,
        rule === undefined ? message : told(`field.${rule}`, of, message),
      ]),
    )
    this.retryAfter = retryAfter
  }
}

export function unreachable(): ProblemError {
  return new ProblemError({ status: 0, code: 'unreachable', detail: t('common.unreachable') })
}

export function timedOut(): ProblemError {
  return new ProblemError({ status: 0, code: 'timed-out', detail: t('common.timedOut') })
}

/** Reads an answer that is not a success, whatever its body turns out to be (a proxy may answer in HTML). */
export function problemOf(response: Response, body: unknown): ProblemError {
  const wait = Number(response.headers.get('Retry-After'))
  const retryAfter = Number.isFinite(wait) && wait > 0 ? wait : null
  if (isProblem(body)) return new ProblemError(body, retryAfter)
  const detail = response.status >= 500 ? t('common.serverFailed') : t('common.unexpected')
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

/** The sentence to show for anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof ProblemError ? error.message : t('common.failed')
}
