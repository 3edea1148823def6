/** Longest double click on the common systems. */
const DOUBLE_CLICK_MS = 500
/** Longer than any page is busy with its first picture. */
const LISTENS_MS = 5000

/**
 * For a link that opens at the first click and may be double-clicked (R-HOME-4): the second click must not press what
 * is at the same place on the next page, such as `Borrow`. The times are those of the presses: a busy page hears of the
 * second one late.
 */
export function swallowSecondClick({ timeStamp }: { timeStamp: number }): void {
  const swallow = (event: MouseEvent) => {
    if (event.detail < 2 || event.timeStamp - timeStamp > DOUBLE_CLICK_MS) return
    event.preventDefault()
    event.stopPropagation()
  }
  // A test's page may be gone before the timer ends, so it is kept here.
  const page = document
  page.addEventListener('click', swallow, true)
  setTimeout(() => page.removeEventListener('click', swallow, true), LISTENS_MS)
}
