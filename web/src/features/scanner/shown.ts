/** Time after a read during which the code counts as still in view, milliseconds. */
const STILL_MS = 3000

/**
 * Reports each code once until it has left the view. Two codes in view together, as on the back of a book, are read
 * alternately and count once each.
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
