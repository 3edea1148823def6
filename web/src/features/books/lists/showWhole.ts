import type { FocusEvent } from 'react'

/** Scrolls a focused element completely into view; browsers do not scroll if it is partly visible. */
export function showWhole({ currentTarget }: FocusEvent<HTMLElement>): void {
  // Only for keyboard focus: under a finger or a pointer nothing may move between press and release.
  if (currentTarget.matches(':focus-visible')) currentTarget.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}
