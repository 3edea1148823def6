import type { DeskAnswer, Message } from '../api/types'
import { t, translate } from '../lib/messages'
import type { LogEntry } from './tasks'

/** Translates a message of the server. */
export const wordsOf = ({ code, params, text }: Message): string => translate(code, params, text)

/** Returns the class of an entry, which decides colour, icon and sound. */
export function classOf({ outcome }: LogEntry): DeskAnswer['class'] {
  switch (outcome.kind) {
    case 'answered':
      return outcome.answer.class
    case 'settled':
      return 'ok'
    case 'set-aside':
      return 'neutral'
    case 'failed':
      return 'stop'
  }
}

/** Returns the texts of an entry, the headline first. */
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
