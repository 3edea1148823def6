/** A code read by the decoder. */
export type ScanResult = { text: string; format: string }

/** Minimum time between two accepted codes (R-SCAN-6). */
export const PAUSE_MS = 500
/** Time out of view after which a card counts as shown again; while in view it is accepted once. */
const GONE_MS = 2000
/** Maximum age of a read that confirms a new one. */
const FORGOTTEN_MS = 1000

/** Time after which a card whose look-up failed temporarily is read again, milliseconds. */
const AGAIN_MS = 3000

const ITF_MIN_DIGITS = 6

/**
 * True if a read can be a complete code. Interleaved 2 of 5 has neither a check digit nor a distinct end, so part of a
 * code reads like a shorter one: only even lengths from six digits on are accepted.
 */
export function isPlausible({ text, format }: ScanResult): boolean {
  if (text.trim() === '') return false
  return format !== 'ITF' || (/^\d+$/.test(text) && text.length % 2 === 0 && text.length >= ITF_MIN_DIGITS)
}

const same = (one: ScanResult, other: ScanResult) => one.text === other.text && one.format === other.format

/** Decides which reads are accepted: two equal ones in a row, then a pause, and each card once while it is shown. */
export class Acceptance {
  #candidate: { read: ScanResult; at: number } | null = null
  #accepted: { read: ScanResult; seenAt: number; againAt: number } | null = null
  #quietUntil = -Infinity

  /** Processes the result of one frame (null for none); returns the code if it is accepted now. */
  take(read: ScanResult | null, now: number): ScanResult | null {
    // A frame without a read does not interrupt a sequence: plain and contrast-enhanced frames alternate, and often
    // only one kind is readable.
    if (read === null || !isPlausible(read)) return null
    const before = this.#candidate
    this.#candidate = { read, at: now }
    const last = this.#accepted
    if (last && same(last.read, read)) {
      const gone = now - last.seenAt >= GONE_MS || now >= last.againAt
      last.seenAt = now
      if (!gone) return null
      // The card is shown again, so two equal reads are required again.
      this.#accepted = null
      return null
    }
    const convinced = before !== null && same(before.read, read) && now - before.at < FORGOTTEN_MS
    if (now < this.#quietUntil || !convinced) return null
    this.#accepted = { read, seenAt: now, againAt: Infinity }
    this.#quietUntil = now + PAUSE_MS
    return read
  }

  /** Allows the last accepted card to be read again after a while, even if it stays in view. */
  again(now: number): void {
    if (this.#accepted) this.#accepted.againAt = now + AGAIN_MS
  }

  /** True during the pause after an accepted code, when frames need not be decoded. */
  isQuiet(now: number): boolean {
    return now < this.#quietUntil
  }
}
