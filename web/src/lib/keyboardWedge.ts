import { useEffect, useRef } from 'react'

/** A keyboard wedge types faster than anybody on average; a busy browser may hand over a single key late. */
const MEAN_GAP_MS = 40
const LONGEST_GAP_MS = 100
/** Shorter bursts may be a hand that slipped. */
const FEWEST_KEYS = 4
/** Password managers that type go from field to field with Tab first. */
const AFTER_TAB_MS = 500

export type Key = {
  key: string
  /** When it was pressed, in milliseconds. */
  at: number
  repeat?: boolean
  isComposing?: boolean
  ctrlKey?: boolean
  altKey?: boolean
  metaKey?: boolean
}

/** Where the keys go: nowhere, into a field, or into the field of the password. */
export type Place = 'nowhere' | 'field' | 'password'

/** What may be a card, depending on the place: no address in a field, and in the place of the password only a number. */
const LOOKS_LIKE_CARD: Readonly<Record<Place, RegExp>> = {
  nowhere: /./,
  field: /^[^@]*$/,
  password: /^(?=.*\d)[\w./-]+$/,
}

/** A barcode or a roll number, which no hand types this fast: at the desk a busy browser may be slower with it. */
const BARCODE = /^(?=(?:.*\d){3})[^\s@]{5,}$/
const MEAN_GAP_OF_BARCODE_MS = 80
const LONGEST_GAP_OF_BARCODE_MS = 200
/** No code is longer. */
const MOST_KEYS = 128

/**
 * Whether the key before a gap belongs to a person who typed right before the scan: the gap is long beside the burst, and so
 * is the one before it. A single key that a busy browser handed over late has fast keys on both sides.
 */
const isPersons = (gap: number, meanOfBurst: number, gapBefore: number): boolean =>
  gap > Math.max(30, 4 * meanOfBurst) && gapBefore > 50

/**
 * Tells a keyboard wedge, which types a code and Enter, from a person by the time between keys. It only watches: no key of
 * a person is held back before a whole burst with its Enter is there. `atDesk`: a code may end with Tab too, and may be any
 * text in every field.
 */
export class BurstDetector {
  readonly #atDesk: boolean
  #keys: { char: string; at: number }[] = []
  #tabAt = -Infinity

  constructor(atDesk = false) {
    this.#atDesk = atDesk
  }

  /** Number of keys that may belong to a code. */
  get length(): number {
    return this.#keys.length
  }

  /** Whether the keys so far may be a scanner's; the key given last is counted. */
  get isBurst(): boolean {
    const last = this.#keys.at(-1)
    return last !== undefined && this.#burst(last.at, LONGEST_GAP_MS, MEAN_GAP_MS, 2, -1) !== null
  }

  /** Text of the last keys without a long gap up to `end`, if they are fast enough on average. */
  #burst(end: number, longest: number, mean: number, fewest: number, more = 0): string | null {
    const keys = this.#keys
    let next = end
    let count = 0
    for (let index = keys.length - 1; index >= 0; index--) {
      const at = keys[index]?.at ?? 0
      const gap = next - at
      if (gap > longest || isPersons(gap, (end - next) / count, at - (keys[index - 1]?.at ?? at))) break
      next = at
      count += 1
    }
    const text = keys.slice(keys.length - count).map(({ char }) => char)
    return count >= fewest && end - next <= (count + more) * mean ? text.join('') : null
  }

  /** Takes a key; returns the code when this was the Enter, or at the desk the Tab, that ends one. */
  take(key: Key, place: Place): string | null {
    // Pressed together with a letter it is the letter's; scanners press it too.
    if (key.key === 'Shift') return null
    const keys = this.#keys
    this.#keys = []
    if (key.repeat || key.isComposing || key.ctrlKey || key.altKey || key.metaKey) return null
    if (key.key === 'Tab' && !this.#atDesk) this.#tabAt = key.at
    if (key.at - this.#tabAt < AFTER_TAB_MS) {
      // What follows within the burst is typed by the same program.
      this.#tabAt = key.at
      return null
    }
    this.#keys = keys
    if (key.key === 'Enter' || (key.key === 'Tab' && this.#atDesk)) return this.#end(key.at, place)
    if (Array.from(key.key).length !== 1) {
      this.#keys = []
      return null
    }
    const longest = this.#atDesk ? LONGEST_GAP_OF_BARCODE_MS : LONGEST_GAP_MS
    const last = keys.at(-1)
    if (last && key.at - last.at > longest) this.#keys = []
    this.#keys = [...this.#keys, { char: key.key, at: key.at }].slice(-MOST_KEYS)
    return null
  }

  #end(at: number, place: Place): string | null {
    const fast = this.#burst(at, LONGEST_GAP_MS, MEAN_GAP_MS, FEWEST_KEYS)
    const slow = this.#atDesk ? this.#burst(at, LONGEST_GAP_OF_BARCODE_MS, MEAN_GAP_OF_BARCODE_MS, FEWEST_KEYS) : null
    this.#keys = []
    // Cut at a key that came late, it would be half a code.
    if (slow !== null && BARCODE.test(slow)) return slow
    return fast !== null && (this.#atDesk || LOOKS_LIKE_CARD[place].test(fast)) ? fast : null
  }
}

type TextField = HTMLInputElement | HTMLTextAreaElement
/** A list too changes by typing: the first letter of an option chooses it. */
type Field = TextField | HTMLSelectElement

function fieldOf(target: EventTarget | null): Field | null {
  if (target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return target
  const isText = target instanceof HTMLInputElement && !['checkbox', 'radio', 'range', 'file'].includes(target.type)
  return isText ? target : null
}

/** Sets a field as typing would, so that the form notices. */
function writeInto(field: Field, value: string): void {
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')?.set?.call(field, value)
  field.dispatchEvent(new Event(field instanceof HTMLSelectElement ? 'change' : 'input', { bubbles: true }))
}

export type Scan = {
  code: string
  place: Place
  /** What had the focus. */
  target: EventTarget | null
  /** Gives the field back what was typed into it, if it turns out that this was no card. */
  putBack: () => void
}

type WedgeOptions = {
  /** Whether a scan may end with Tab too, and may be any text in every field. */
  atDesk?: boolean
  /** Whether an element takes scans by itself. */
  isOwn?: (target: EventTarget | null) => boolean
}

/** Watches the whole page for a keyboard wedge (R-SCAN-9), wherever the focus is. */
export function useKeyboardWedge(
  watches: boolean,
  onScan: (scan: Scan) => void,
  { atDesk = false, isOwn }: WedgeOptions = {},
): void {
  const handler = useRef({ onScan, isOwn })
  useEffect(() => {
    handler.current = { onScan, isOwn }
  })

  useEffect(() => {
    if (!watches) return
    let detector = new BurstDetector(atDesk)
    /** What stood in the field before each key that the detector keeps. */
    let before: ({ field: Field; value: string } | null)[] = []

    const onKeyDown = (event: Event) => {
      // Browsers that fill in a saved password send events that only look like a key's.
      if (!(event instanceof KeyboardEvent) || event.key === 'Shift') return
      if (handler.current.isOwn?.(event.target)) {
        detector = new BurstDetector(atDesk)
        before = []
        return
      }
      const field = fieldOf(event.target)
      const place = field === null ? 'nowhere' : field.type === 'password' ? 'password' : 'field'
      const { key, repeat, isComposing, ctrlKey, altKey, metaKey, timeStamp } = event
      const first = before
      const code = detector.take({ key, at: timeStamp, repeat, isComposing, ctrlKey, altKey, metaKey }, place)
      const { length } = detector
      before = length === 0 ? [] : [...before, field && { field, value: field.value }].slice(-length)
      // A space would press a button and a slash open the browser's search; nobody types there.
      if (length > 1 && field === null && detector.isBurst) event.preventDefault()
      if (code === null) return

      // Not the form's, nor a press of the button that has the focus.
      event.preventDefault()
      event.stopPropagation()
      const begin = first.at(-Array.from(code).length) ?? null
      const typedInto = begin?.field === field ? begin : null
      const typed = typedInto?.field.value
      if (typedInto) writeInto(typedInto.field, typedInto.value)
      handler.current.onScan({
        code,
        place,
        target: event.target,
        putBack: () => {
          if (typedInto?.field.value === typedInto?.value && typedInto && typed !== undefined) {
            writeInto(typedInto.field, typed)
          }
        },
      })
    }
    addEventListener('keydown', onKeyDown, { capture: true })
    return () => removeEventListener('keydown', onKeyDown, { capture: true })
  }, [watches, atDesk])
}
