import { storage } from '../../lib/storage'

const CHOSEN = 'slipsPrintThemselves'

/** Option of this desk: the slip of a kept copy prints without a press. */
export const slipsPrintThemselves = {
  isOn: (): boolean => storage.read(CHOSEN) === 'on',
  switch: (isOn: boolean): void => storage.write(CHOSEN, isOn ? 'on' : 'off'),
}

/** Answers whose slip printed by itself: when such an answer is shown again, its slip does not print again. */
const printed = new Set<string>()

/** True if the slip of this answer is to print by itself and has not yet. */
export const printsByItself = (answer: string | undefined): boolean =>
  answer !== undefined && !printed.has(answer) && slipsPrintThemselves.isOn()

/** Remembers that the slip of an answer was printed. */
export const markPrinted = (answer: string): void => void printed.add(answer)
