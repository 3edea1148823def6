import type { DeskAnswer, Message } from '../api/types'
import { t, translate } from '../lib/messages'
import type { LogEntry } from './tasks'

/** Translates a message of the server. */
export const wordsOf = ({ code, params, text }: Message): string => translate(code, params, text)

/** Look and sound of an entry: the class of the answer, or a copy to be kept for a reader. */
export type Look = DeskAnswer['class'] | 'keep'

/** Returns the class of an entry, which decides colour, icon and sound. */
export function classOf({ outcome }: LogEntry): Look {
  switch (outcome.kind) {
    case 'answered':
      return outcome.answer.hold?.state === 'ready' ? 'keep' : outcome.answer.class
    case 'settled':
      return 'ok'
    case 'set-aside':
      return 'neutral'
    case 'failed':
      return 'stop'
  }
}

/** Returns the librarian's next steps, to be shown largest (R-SEAM-7). */
export const nextOf = ({ outcome }: LogEntry): string[] =>
  outcome.kind === 'answered' ? (outcome.answer.next ?? []).map(wordsOf) : []

/** Returns where the copy of an entry goes; the row's buttons say what is to be paid. */
export const placeOf = ({ outcome }: LogEntry): string =>
  outcome.kind === 'answered'
    ? (outcome.answer.next ?? [])
        .filter(({ code }) => code !== 'desk.next.take')
        .map(wordsOf)
        .join(' ')
    : ''

/** Returns the barcode of the copy that an entry is about. */
export const barcodeOf = ({ outcome }: LogEntry): string | undefined =>
  outcome.kind === 'answered' ? outcome.answer.copy?.barcode : undefined

const COUNTED: ReadonlySet<string> = new Set(['desk.countedAsOf', 'desk.countedSinceLent'])

/** Returns the sentence with the day as of which a book-drop return counts (R-DESK-11). */
export function countedOn({ outcome }: LogEntry): string | null {
  const said = outcome.kind === 'answered' && outcome.answer.messages.find(({ code }) => COUNTED.has(code))
  return said ? wordsOf(said) : null
}

/** Returns the texts of an entry, what happened first. */
export function messagesOf({ outcome }: LogEntry): string[] {
  switch (outcome.kind) {
    case 'answered':
      return outcome.answer.messages.map(wordsOf)
    case 'settled':
      return [...outcome.words]
    case 'set-aside':
      return [t('desk.screen.setAside')]
    case 'failed':
      return [outcome.reason]
  }
}

/** Returns the change id for Undo, if the entry can be undone. */
export function changeOf({ outcome }: LogEntry): number | null {
  if (outcome.kind === 'answered') return outcome.answer.change ?? null
  return outcome.kind === 'settled' ? (outcome.change ?? null) : null
}
