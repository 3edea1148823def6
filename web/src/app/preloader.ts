/** Minimum duration of the preloader of index.html. */
const PRELOADER_MS = 1200
const FADE_MS = 200

/** Removes the preloader once its minimum duration is over; called when the first screen is drawn. */
export function finishPreloader(): void {
  const preloader = document.getElementById('preloader')
  if (!preloader) return
  const began = performance.getEntriesByName('preloader')[0]?.startTime ?? 0
  const rest = Math.max(0, began + PRELOADER_MS - performance.now())
  setTimeout(() => {
    preloader.classList.add('leaving')
    setTimeout(() => preloader.remove(), FADE_MS)
  }, rest)
}
