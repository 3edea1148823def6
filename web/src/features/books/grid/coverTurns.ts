/**
 * Covers take turns to begin. A drawn cover is a document of its own, which the browser reads and lays out on the page's own
 * thread: a row of them in one frame is felt as a jerk on a slow computer. How many begin in a frame depends on how long the
 * one before took.
 */
const PER_FRAME = { short: 3, long: 1 }
/** Milliseconds of a frame without trouble, at 60 a second. */
const SHORT = 20

/** Pixels a millisecond from which on nobody can look at a cover that flies by; it is not even fetched. */
const TOO_FAST = 3

const waiting = new Set<() => void>()
let last = { place: 0, time: 0 }

function frame(time: number): void {
  const took = time - last.time
  const speed = Math.abs(window.scrollY - last.place) / Math.max(1, took)
  last = { place: window.scrollY, time }
  if (speed < TOO_FAST) {
    for (const begin of [...waiting].slice(0, took < SHORT ? PER_FRAME.short : PER_FRAME.long)) {
      waiting.delete(begin)
      begin()
    }
  }
  if (waiting.size > 0) requestAnimationFrame(frame)
}

/** Calls `begin` when it is the cover's turn; what is returned takes the wish back. */
export function coverTurn(begin: () => void): () => void {
  if (waiting.size === 0) {
    last = { place: window.scrollY, time: performance.now() }
    requestAnimationFrame(frame)
  }
  waiting.add(begin)
  return () => waiting.delete(begin)
}
