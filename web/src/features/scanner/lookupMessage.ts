import { ProblemError } from '../../api/problem'

/** The specified words for a card that led nowhere: the server's own where it answered, ours where it could not. */
export function lookupMessage(error: unknown): string {
  if (error instanceof ProblemError) {
    if (error.status === 404 || error.status === 403) return error.message
    if (error.status === 422) return error.fields['rollNumber'] ?? error.message
    if (error.status === 429) return error.message
  }
  return 'Failed to fetch user from the database.'
}
