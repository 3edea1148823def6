/** State of the scanner. A paused scanner keeps its panel and continues without a restart. */
export type ScanState = 'notStarted' | 'scanning' | 'paused'
export type ScanAction = 'start' | 'pause' | 'resume' | 'stop'

const NEXT: Readonly<Record<ScanState, Readonly<Partial<Record<ScanAction, ScanState>>>>> = {
  notStarted: { start: 'scanning' },
  scanning: { pause: 'paused', stop: 'notStarted' },
  paused: { resume: 'scanning', stop: 'notStarted' },
}

/** An action that the state does not allow, such as pausing a scanner that was not started. */
export class RefusedTransition extends Error {
  override readonly name = 'RefusedTransition'

  constructor(state: ScanState, action: ScanAction) {
    super(`Cannot ${action} a scanner that is ${state === 'notStarted' ? 'not started' : state}.`)
  }
}

export const allows = (state: ScanState, action: ScanAction): boolean => NEXT[state][action] !== undefined

/** Returns the state after an action (R-SCAN-5); fails for all but the six permitted steps. */
export function nextState(state: ScanState, action: ScanAction): ScanState {
  const next = NEXT[state][action]
  if (next === undefined) throw new RefusedTransition(state, action)
  return next
}
