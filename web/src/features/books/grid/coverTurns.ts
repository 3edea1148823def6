/**
 * Number of covers that start loading per frame. A drawn cover is a document of its own, which the browser parses and
 * lays out on the page's thread: a whole row in one frame makes a slow computer jerk. The number depends on whether the
 * page is being scrolled, and on the duration of the previous frame.
 */
const PER_FRAME = { still: 3, moving: 1 }
/** Maximum duration of an undelayed frame, milliseconds; at 60 frames per second a frame takes 17. */
const SHORT = 20

/** Scroll speed, in pixels per millisecond, from which covers pass too fast to be seen and are not fetched. */
const TOO_FAST = 3

const waiting = new Set<() => void>()
let last = { place: 0, time: 0 }
/** As of the last scroll event: to read it in a frame would lay out the rows that the event inserted. */
let place = window.scrollY

addEventListener('scroll', () => (place = window.scrollY), { capture: true, passive: true })

function frame(time: number): void {
  const took = time - last.time
  const speed = Math.abs(place - last.place) / Math.max(1, took)
  last = { place, time }
  if (speed < TOO_FAST) {
    for (const begin of [...waiting].slice(0, speed === 0 && took < SHORT ? PER_FRAME.still : PER_FRAME.moving)) {
      waiting.delete(begin)
      begin()
    }
  }
  if (waiting.size > 0) requestAnimationFrame(frame)
}

/** Calls `begin` when it is the cover's turn; returns a function that cancels the wait. */
export function coverTurn(begin: () => void): () => void {
  if (waiting.size === 0) {
    last = { place, time: performance.now() }
    requestAnimationFrame(frame)
  }
  waiting.add(begin)
  return () => waiting.delete(begin)
}
