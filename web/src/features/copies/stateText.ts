import type { Copy, CopyState } from '../../api/types'
import { t } from '../../lib/messages'
import { ProblemError } from '../../lib/problem'

/** Translates the state of a copy. */
export const stateText = (state: CopyState): string => t(`copies.state.${state}`)

/** Says where a moved copy is now. */
export const movedWords = ({ barcode, state, hold }: Copy): string =>
  hold
    ? t('copies.move.kept', { barcode, name: hold.userName, day: hold.readyUntil })
    : t('copies.move.done', { barcode, state: stateText(state) })

/** Explains a refused move; usually the copy's state has changed meanwhile, as the list shows. */
export const refusedWords = (reason: string, error: unknown): string =>
  error instanceof ProblemError && error.code === 'copy-state'
    ? t('copies.move.changed')
    : t('copies.move.failed', { reason })
