/** Longest double-click interval of the common systems. */
const DOUBLE_CLICK_MS = 500
/** Lifetime of the listener: longer than any page is busy with its first render. */
const LISTENS_MS = 5000

/**
 * Swallows the second click of a double click on a link that opens at the first click (R-HOME-4): it would press what
 * is at the same place on the next page, such as `Borrow`. The times of the presses are compared, because a busy page
 * receives the second event late.
 */
export function swallowSecondClick({ timeStamp }: { timeStamp: number }): void {
  const swallow = (event: MouseEvent) => {
    if (event.detail < 2 || event.timeStamp - timeStamp > DOUBLE_CLICK_MS) return
    event.preventDefault()
    event.stopPropagation()
  }
  // Remembers the document, because a test may replace it before the timer ends.
  const page = document
  page.addEventListener('click', swallow, true)
  setTimeout(() => page.removeEventListener('click', swallow, true), LISTENS_MS)
}
