/** A code that was seen this short a time ago is still being shown. */
const STILL_MS = 3000

/**
 * Tells a code that is shown from one that is still before the camera: it counts once, until it has left the picture.
 * Two codes that lie in the picture together, as on the back of a book, are read by turns and count once each.
 */
export class Shown {
  readonly #seen = new Map<string, number>()

  isNew(code: string, now: number): boolean {
    for (const [other, at] of this.#seen) if (now - at >= STILL_MS) this.#seen.delete(other)
    const isNew = !this.#seen.has(code)
    this.#seen.set(code, now)
    return isNew
  }
}
