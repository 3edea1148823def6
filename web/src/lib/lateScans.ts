/** Time after the end of a session during which scans on the sign-in screen go to the desk, milliseconds. */
const LATE_MS = 10_000

/** Desk whose session has ended. */
type Desk = { scan: (code: string) => void; codes: () => readonly string[] }

let desk: Desk | null = null
let until = 0

/**
 * Routes scans of the next ten seconds to this desk: librarians go on scanning until they notice the sign-in screen.
 */
export function takeLateScans(by: Desk): void {
  desk = by
  until = Date.now() + LATE_MS
}

/** Ends the late scans, when another person has signed in. */
export function endLateScans(): void {
  desk = null
}

/** Name in the browser's storage of the librarian for whom tasks of the desk wait, a hint for the sign-in page. */
export const DESK_WAITS = 'desk waits'

/** Returns the milliseconds during which scans still go to the desk. */
export const lateScanMsLeft = (): number => (desk ? Math.max(0, until - Date.now()) : 0)

/** Returns the codes that wait at the desk. Empty after ten seconds, when another person may look at the screen. */
export const lateCodes = (): string => (lateScanMsLeft() > 0 ? (desk?.codes().join(', ') ?? '') : '')

/** Passes a scan to the desk; returns false if the ten seconds are over. */
export function passLateScan(code: string): boolean {
  if (lateScanMsLeft() === 0) return false
  desk?.scan(code)
  return true
}
