/**
 * The focus, where it goes to something that is known by its place on the screen. A component that holds an element
 * moves the focus by a ref; every search through the whole page stands here.
 */

/** Whether nobody would lose the place: nothing has the focus, or only a question that is just closing. */
export function focusIsFree(): boolean {
  const active = document.activeElement
  return !active || active === document.body || active.closest('[role="dialog"]') !== null
}

/** Back to where the focus was before a window; to the heading where that is gone or can no longer be pressed. */
export function focusBack(before: Element | null): void {
  // What the window's end changes on the screen is rendered first.
  setTimeout(() => {
    if (!focusIsFree()) return
    const usable = before instanceof HTMLElement && before.isConnected && !before.matches(':disabled')
    if (usable && before !== document.body) before.focus({ preventScroll: true })
    else focusHeading()
  })
}

/** For the `ref` of what is to have the focus when it appears. */
export const focusHere = (element: HTMLElement | null): void => element?.focus()

/** To a button that was out of use while its answer was on the way, unless somebody is elsewhere by then. */
export function focusAgain(button: Element | null): void {
  const lost = !document.activeElement || document.activeElement === document.body
  if (lost && button instanceof HTMLElement && !button.matches(':disabled')) button.focus({ preventScroll: true })
}

/** The heading of the screen, unless somebody is in the middle of it already; false while there is none. */
export function focusHeading(): boolean {
  const main = document.querySelector('main')
  const heading = main?.querySelector<HTMLElement>('h1')
  if (!main || !heading) return false
  if (!main.contains(document.activeElement)) heading.focus({ preventScroll: true })
  return true
}

/** The search box, with its text selected, so that the next words replace it; false where there is none. */
export function focusSearch(): boolean {
  const box = document.querySelector<HTMLInputElement>('input[type="search"]')
  box?.focus()
  box?.select()
  return box !== null
}

/** The first of the results, which are marked with `data-result`; false where there is none. */
export function focusFirstResult(): boolean {
  const result = document.querySelector<HTMLElement>('[data-result]')
  result?.focus()
  return result !== null
}

/**
 * The first field on the screen that has an error, or in the window in front of it: the screen behind may have a field of
 * the same name. Fields are marked with `data-path`, as the form library does; an error at a place of a list
 * (`barcodes[2]`) belongs to the list where that place has no field of its own.
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
