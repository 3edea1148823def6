import { describe, expect, it } from 'vitest'
import { nextState, allows, RefusedTransition, type ScanAction, type ScanState } from './machine'

const permitted: Record<string, ScanState> = {
  'notStarted start': 'scanning',
  'scanning pause': 'paused',
  'scanning stop': 'notStarted',
  'paused resume': 'scanning',
  'paused stop': 'notStarted',
}

const states: ScanState[] = ['notStarted', 'scanning', 'paused']
const actions: ScanAction[] = ['start', 'pause', 'resume', 'stop']

describe('R-SCAN-5: states of the scanner', () => {
  it.each(states.flatMap((state) => actions.map((action) => [state, action] as const)))('%s, %s', (state, action) => {
    const next = permitted[`${state} ${action}`]
    expect(allows(state, action)).toBe(next !== undefined)
    if (next !== undefined) expect(nextState(state, action)).toBe(next)
    else expect(() => nextState(state, action)).toThrow(RefusedTransition)
  })

  it('says what was refused', () => {
    expect(() => nextState('notStarted', 'pause')).toThrow('Cannot pause a scanner that is not started.')
    expect(() => nextState('scanning', 'resume')).toThrow('Cannot resume a scanner that is scanning.')
  })
})
