/** The longest a double click takes on the common systems. */
const DOUBLE_CLICK_MS = 500

/**
 * For a link that opens at the first click and may be clicked twice (R-HOME-4): the second click must not press what stands
 * in the same place on the next page, such as `Borrow`.
 */
export function swallowSecondClick(): void {
  const swallow = (event: MouseEvent) => {
    if (event.detail < 2) return
    event.preventDefault()
    event.stopPropagation()
  }
  // A test's page may be gone before the time is up; this one is still known.
  const page = document
  page.addEventListener('click', swallow, true)
  setTimeout(() => page.removeEventListener('click', swallow, true), DOUBLE_CLICK_MS)
}
