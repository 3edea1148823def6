import { storage } from '../../lib/storage'

const CHOSEN = 'slipsPrintThemselves'

/** Option of this desk: the slip of a kept copy prints without a press. */
export const slipsPrintThemselves = {
  isOn: (): boolean => storage.read(CHOSEN) === 'on',
  switch: (isOn: boolean): void => storage.write(CHOSEN, isOn ? 'on' : 'off'),
}

/** Answers whose slip was printed by itself; it is not printed again when the answer is shown again. */
const printed = new Set<string>()

/** True if the slip of this answer is to print by itself and has not yet. */
export const printsByItself = (answer: string | undefined): boolean =>
  answer !== undefined && !printed.has(answer) && slipsPrintThemselves.isOn()

/** Remembers that the slip of an answer was printed. */
export const markPrinted = (answer: string): void => void printed.add(answer)
