/** How long after the end of a session a scan on the sign-in screen is still meant for the desk. */
const LATE_MS = 10_000

/** The desk that waits for its librarian. */
type Desk = { scan: (code: string) => void; codes: () => readonly string[] }

let desk: Desk | null = null
let until = 0

/** Sends the scans of the next moments here: a librarian scans on until they see that the session has ended. */
export function takeLateScans(by: Desk): void {
  desk = by
  until = Date.now() + LATE_MS
}

/** Milliseconds for which scans still belong to the desk. */
export const lateScansFor = (): number => (desk ? Math.max(0, until - Date.now()) : 0)

/** Codes that wait at the desk; none after the time in which its librarian is surely the one who looks. */
export const lateCodes = (): string => (lateScansFor() > 0 ? (desk?.codes().join(', ') ?? '') : '')

/** Hands a scan to the desk that waits for its librarian; false if it is no late one. */
export function isLateScan(code: string): boolean {
  if (lateScansFor() === 0) return false
  desk?.scan(code)
  return true
}
