import type { Copy, CopyState } from '../../api/types'
import { t } from '../../lib/messages'
import { ProblemError } from '../../lib/problem'

/** The state of a copy in words. */
export const stateText = (state: CopyState): string => t(`copies.state.${state}`)

/** What became of a copy that was moved. */
export const movedWords = ({ barcode, state, hold }: Copy): string =>
  hold
    ? t('copies.move.kept', { barcode, name: hold.userName, day: hold.readyUntil })
    : t('copies.move.done', { barcode, state: stateText(state) })

/** Why it was not: mostly it is in another state by now, which the list shows. */
export const refusedWords = (reason: string, error: unknown): string =>
  error instanceof ProblemError && error.code === 'copy-state'
    ? t('copies.move.changed')
    : t('copies.move.failed', { reason })
