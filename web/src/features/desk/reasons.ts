import { storage } from '../../lib/storage'

/** Kind of decision that needs a reason. */
export type Decision = 'override' | 'waive'

const KEPT = 5
const keyOf = (owner: number, decision: Decision): string => `deskReasons ${owner} ${decision}`

/** Returns the last reasons of a librarian on this computer, newest first. */
export function lastReasons(owner: number, decision: Decision): string[] {
  try {
    const stored: unknown = JSON.parse(storage.read(keyOf(owner, decision)) ?? '[]')
    return Array.isArray(stored) ? stored.filter((one) => typeof one === 'string').slice(0, KEPT) : []
  } catch {
    return []
  }
}

export function rememberReason(owner: number, decision: Decision, reason: string): void {
  const others = lastReasons(owner, decision).filter((one) => one !== reason)
  storage.write(keyOf(owner, decision), JSON.stringify([reason, ...others].slice(0, KEPT)))
}
