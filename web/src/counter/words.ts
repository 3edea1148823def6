import type { DeskAnswer, Message } from '../api/types'
import { t, translate } from '../lib/messages'
import type { Told } from './tasks'

/** A message of the server in the reader's language. */
export const wordsOf = ({ code, params, text }: Message): string => translate(code, params, text)

/** How it looks and sounds. */
export function classOf({ outcome }: Told): DeskAnswer['class'] {
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

/** What happened, the headline first. */
export function messagesOf({ outcome }: Told): string[] {
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

/** Change id to pass to the undo. */
export function changeOf({ outcome }: Told): number | null {
  if (outcome.kind === 'answered') return outcome.answer.change ?? null
  return outcome.kind === 'settled' ? (outcome.change ?? null) : null
}
