/**
 * Moves the focus by arrow keys through the buttons of a list, also from the box above; false if no button follows.
 */
export function stepThrough(event: KeyboardEvent, list: HTMLElement): boolean {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return false
  const buttons = [...list.querySelectorAll('button')]
  const at = buttons.findIndex((button) => button === event.target)
  const next = buttons[at + (event.key === 'ArrowDown' ? 1 : -1)]
  if (!next) return false
  event.preventDefault()
  next.focus()
  return true
}
