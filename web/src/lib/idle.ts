/** Longest wait for an idle browser, milliseconds. */
const LONGEST_MS = 2000

/** Runs a function once the browser is idle, as the files of the first screen are more urgent. Returns a way to cancel. */
export function whenIdle(run: () => void): () => void {
  // Safari lacks it.
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(run, LONGEST_MS)
    return () => clearTimeout(timer)
  }
  const waiting = requestIdleCallback(run, { timeout: LONGEST_MS })
  return () => cancelIdleCallback(waiting)
}
