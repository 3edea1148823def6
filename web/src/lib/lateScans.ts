/** How long after the end of a session a scan on the sign-in screen is still meant for the desk. */
const LATE_MS = 10_000

let taker: ((code: string) => void) | null = null
let until = 0

/** Sends the scans of the next moments here: a librarian scans on until they see that the session has ended. */
export function takeLateScans(take: (code: string) => void): void {
  taker = take
  until = Date.now() + LATE_MS
}

/** Milliseconds for which scans still belong to the desk. */
export const lateScansFor = (): number => (taker ? Math.max(0, until - Date.now()) : 0)

/** Hands a scan to the desk that waits for its librarian; false if it is no late one. */
export function isLateScan(code: string): boolean {
  if (!taker || Date.now() > until) return false
  taker(code)
  return true
}
