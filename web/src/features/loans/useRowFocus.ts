import { useEffect, useRef, type RefObject } from 'react'
import { focusIsFree } from '../../lib/focus'
import type { LoanAction } from './useLoanActions'

/** The table; null if it has no rows. */
type Rows = RefObject<HTMLElement | null>

const buttons = ({ current: rows }: Rows, action: LoanAction) => [
  ...(rows?.querySelectorAll<HTMLButtonElement>(`button[data-action="${action}"]`) ?? []),
]

/**
 * Keeps the keyboard focus in a table whose rows disappear: after an action it goes to the same button of the same row,
 * or of the row that moved up. Does nothing if the user has moved the focus meanwhile.
 */
export function useRowFocus(rows: Rows, pending: ReadonlyMap<number, unknown>, whenEmpty: () => void) {
  const wish = useRef<{ id: number; action: LoanAction; index: number } | null>(null)

  useEffect(() => {
    const wanted = wish.current
    if (!wanted || pending.has(wanted.id)) return
    wish.current = null
    if (!focusIsFree()) return
    const all = buttons(rows, wanted.action)
    const target = all.find((button) => button.dataset['loan'] === String(wanted.id)) ?? all[wanted.index] ?? all.at(-1)
    if (target && !target.disabled) target.focus()
    else whenEmpty()
  })

  /** Call this when an action begins. */
  return (id: number, action: LoanAction) => {
    const index = buttons(rows, action).findIndex((button) => button.dataset['loan'] === String(id))
    wish.current = { id, action, index: Math.max(0, index) }
  }
}

/** Focuses the first row's first action. */
export function focusFirstAction(rows: Rows): void {
  buttons(rows, 'restock')
    .find((button) => !button.disabled)
    ?.focus()
}
