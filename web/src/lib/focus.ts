/**
 * Moves the focus to elements found by a search through the page. A component that holds an element uses a ref instead;
 * all such searches are here.
 */

/** True if no element has the focus, or only one in a closing dialog, so that moving the focus disturbs no user. */
export function focusIsFree(): boolean {
  const active = document.activeElement
  return !active || active === document.body || active.closest('[role="dialog"]') !== null
}

/** Returns the focus to where it was before a window opened, or to the heading if that element is gone or disabled. */
export function focusBack(before: Element | null): void {
  // Waits for the rendering that closing the window causes.
  setTimeout(() => {
    if (!focusIsFree()) return
    const usable = before instanceof HTMLElement && before.isConnected && !before.matches(':disabled')
    if (usable && before !== document.body) before.focus({ preventScroll: true })
    else focusHeading()
  })
}

/** Callback ref that focuses an element when it appears. */
export const focusHere = (element: HTMLElement | null): void => element?.focus()

/** Callback ref that scrolls an element into view when it appears. */
export const scrollHere = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'nearest' })

/** Returns the focus to a button that was disabled during its request, unless the focus has moved elsewhere. */
export function focusAgain(button: Element | null): void {
  const lost = !document.activeElement || document.activeElement === document.body
  if (lost && button instanceof HTMLElement && !button.matches(':disabled')) button.focus({ preventScroll: true })
}

/** Focuses the screen's heading, unless the focus is on the screen already; false without a heading. */
export function focusHeading(): boolean {
  const main = document.querySelector('main')
  const heading = main?.querySelector<HTMLElement>('h1')
  if (!main || !heading) return false
  if (!main.contains(document.activeElement)) heading.focus({ preventScroll: true })
  return true
}

/** Focuses the search box and selects its text; false without one. */
export function focusSearch(): boolean {
  const box = document.querySelector<HTMLInputElement>('input[type="search"]')
  box?.focus()
  box?.select()
  return box !== null
}

/** Focuses the first search result, marked with `data-result`; false without one. */
export function focusFirstResult(): boolean {
  const result = document.querySelector<HTMLElement>('[data-result]')
  result?.focus()
  return result !== null
}

/**
 * Focuses the first invalid field, in the open window or else on the screen, since both may have a field of the same
 * name. Fields are marked with `data-path`, like the form library does. An error of a list item (`barcodes[2]`) belongs
 * to the list if the item has no field of its own.
 */
export function focusFirstError(errors: Readonly<Record<string, unknown>>): void {
  const wrong = new Set(Object.keys(errors).flatMap((name) => [name, name.replace(/\[.*/, '')]))
  // The errors are rendered first, so that the field is announced together with its message.
  setTimeout(() => {
    const place = document.querySelector('[role=dialog]') ?? document
    const field = [...place.querySelectorAll<HTMLElement>('[data-path]')].find(({ dataset }) =>
      wrong.has(dataset['path'] ?? ''),
    )
    const control = field?.matches('input, textarea, select')
      ? field
      : field?.querySelector<HTMLElement>('input, textarea, select')
    control?.focus()
  })
}
