/** What the scanner is doing. A paused one still shows its panel and goes on without starting anew. */
export type ScanState = 'notStarted' | 'scanning' | 'paused'
export type ScanAction = 'start' | 'pause' | 'resume' | 'stop'

const NEXT: Readonly<Record<ScanState, Readonly<Partial<Record<ScanAction, ScanState>>>>> = {
  notStarted: { start: 'scanning' },
  scanning: { pause: 'paused', stop: 'notStarted' },
  paused: { resume: 'scanning', stop: 'notStarted' },
}

/** An action that the state does not allow, such as pausing what was never started. */
export class RefusedTransition extends Error {
  override readonly name = 'RefusedTransition'

  constructor(state: ScanState, action: ScanAction) {
    super(`Cannot ${action} a scanner that is ${state === 'notStarted' ? 'not started' : state}.`)
  }
}

export const allows = (state: ScanState, action: ScanAction): boolean => NEXT[state][action] !== undefined

/** The state after an action (R-SCAN-5); anything but the six permitted steps is refused. */
export function after(state: ScanState, action: ScanAction): ScanState {
  const next = NEXT[state][action]
  if (next === undefined) throw new RefusedTransition(state, action)
  return next
}
