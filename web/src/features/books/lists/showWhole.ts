import type { FocusEvent } from 'react'

/** Scrolls a focused element into view completely: browsers do not if it is partly visible. */
export function showWhole({ currentTarget }: FocusEvent<HTMLElement>): void {
  // Under a finger or a pointer nothing may move between press and release.
  if (currentTarget.matches(':focus-visible')) currentTarget.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}
