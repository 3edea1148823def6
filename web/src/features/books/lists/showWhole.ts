import type { FocusEvent } from 'react'

/** Scrolls what the keyboard leads to into view: browsers leave it where it is as long as a strip of it can be seen. */
export function showWhole({ currentTarget }: FocusEvent<HTMLElement>): void {
  // Under a finger or a pointer nothing may move between press and release.
  if (currentTarget.matches(':focus-visible')) currentTarget.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}
