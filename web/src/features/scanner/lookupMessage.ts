import { ProblemError } from '../../api/problem'

/** The specified words for a card that led nowhere: the server's own where it answered, ours where it could not. */
export function lookupMessage(error: unknown): string {
  if (error instanceof ProblemError && error.status >= 400 && error.status < 500) {
    return error.fields['rollNumber'] ?? error.message
  }
  return 'Failed to fetch user from the database.'
}
