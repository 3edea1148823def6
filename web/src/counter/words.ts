import type { DeskAnswer, Message } from '../api/types'
import { t, translate } from '../lib/messages'
import type { Told } from './queue'

/** A message of the server in the reader's language. */
export const wordsOf = ({ code, params, text }: Message): string => translate(code, params, text)

/** How it looks and sounds. */
export function classOf({ outcome }: Told): DeskAnswer['class'] {
  switch (outcome.kind) {
    case 'answered':
      return outcome.answer.class
    case 'settled':
      return 'ok'
    case 'bounced':
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
      return [...outcome.settled.words]
    case 'bounced':
      return [t('desk.screen.bounced')]
    case 'failed':
      return [outcome.reason]
  }
}

/** What it is undone by. */
export function changeOf({ outcome }: Told): number | null {
  if (outcome.kind === 'answered') return outcome.answer.change ?? null
  return outcome.kind === 'settled' ? (outcome.settled.change ?? null) : null
}
