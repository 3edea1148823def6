/** Minimum duration of the preloader of index.html, as in public/start.js. */
const PRELOADER_MS = 1200
const FADE_MS = 200
/** Time after which to look again whether a press has ended, in milliseconds. */
const PRESS_MS = 100

/** Removes the preloader once its minimum duration is over; called when the first screen is drawn. */
export function finishPreloader(): void {
  takeOverHome()
  const preloader = document.getElementById('preloader')
  if (!preloader) return
  const began = performance.getEntriesByName('preloader')[0]?.startTime ?? 0
  const rest = Math.max(0, began + PRELOADER_MS - performance.now())
  setTimeout(() => {
    preloader.classList.add('leaving')
    setTimeout(() => preloader.remove(), FADE_MS)
  }, rest)
}

/** Replaces the home of public/start.js with the screen, which takes over the text of the search box and the focus. */
function takeOverHome(): void {
  const early = document.getElementById('early')
  const typed = early?.querySelector('input')
  if (!early || !typed) return
  // The book that a finger is on must not go away below it.
  if (early.querySelector('a:active')) {
    setTimeout(takeOverHome, PRESS_MS)
    return
  }
  const { value, selectionStart, selectionEnd } = typed
  const hasFocus = typed === document.activeElement
  const link = early.querySelector('a:focus')?.getAttribute('href')
  const own = document.querySelector<HTMLInputElement>('#main input[type="search"]')
  // Before the box is removed: without any focus a phone would hide its keyboard.
  if (hasFocus) own?.focus()
  early.remove()
  if (link) document.querySelector<HTMLElement>(`#main [href="${link}"][data-result]`)?.focus({ preventScroll: true })
  if (!own) return
  // A press, as by a finger: the home then shows the results alone.
  if (hasFocus) own.click()
  if (value === '') return
  // React follows the value only through the setter that it has not replaced.
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(own, value)
  own.dispatchEvent(new Event('input', { bubbles: true }))
  own.setSelectionRange(selectionStart, selectionEnd)
}
