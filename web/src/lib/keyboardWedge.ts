import { useEffect, useRef } from 'react'

/**
 * Maximum mean gap between the keys of a keyboard wedge, milliseconds; a person is slower. The maximum of a single gap
 * is longer, because a busy browser may deliver a key late.
 */
const MEAN_GAP_MS = 40
const LONGEST_GAP_MS = 100
/** Minimum number of keys; a shorter burst may be a slip of the hand. */
const FEWEST_KEYS = 4
/** Time after Tab within which a password manager fills the next field, milliseconds. */
const AFTER_TAB_MS = 500

export type Key = {
  key: string
  /** Time of the key press, milliseconds. */
  at: number
  repeat?: boolean
  isComposing?: boolean
  ctrlKey?: boolean
  altKey?: boolean
  metaKey?: boolean
}

/** Target of the keys: none, a field, or a password field. */
export type Place = 'nowhere' | 'field' | 'password'

/** Pattern of a possible card scan, by place: no `@` in a field; in a password field only a code with a digit. */
const LOOKS_LIKE_CARD: Readonly<Record<Place, RegExp>> = {
  nowhere: /./,
  field: /^[^@]*$/,
  password: /^(?=.*\d)[\w./-]+$/,
}

/**
 * Barcode or roll number, accepted at the desk with longer gaps in case the browser is busy: a person does not type one
 * this fast.
 */
const BARCODE = /^(?=(?:.*\d){3})[^\s@]{5,}$/
const MEAN_GAP_OF_BARCODE_MS = 80
const LONGEST_GAP_OF_BARCODE_MS = 200
/** Maximum length of a code. */
const MOST_KEYS = 128

/**
 * True if the key before a gap belongs to a person's typing and not to the scan that follows: this gap and the one
 * before it are long compared to the burst. (A key of the scan that a busy browser delivered late has fast keys on both
 * sides.)
 */
const isTypedByPerson = (gap: number, meanOfBurst: number, gapBefore: number): boolean =>
  gap > Math.max(30, 4 * meanOfBurst) && gapBefore > 50

/**
 * Distinguishes a keyboard wedge, which types a code and Enter, from a person by the time between keys. It only
 * observes: no key is delayed. `atDesk`: a code may also end with Tab, and may be any text in every field.
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

  /** True if the keys so far, including the last one, may come from a scanner. */
  get isBurst(): boolean {
    const last = this.#keys.at(-1)
    return last !== undefined && this.#burst(last.at, LONGEST_GAP_MS, MEAN_GAP_MS, 2, -1) !== null
  }

  /** Returns the text of the last keys up to `end` without a long gap, if their mean gap is short enough. */
  #burst(end: number, longest: number, mean: number, fewest: number, more = 0): string | null {
    const keys = this.#keys
    let next = end
    let count = 0
    for (let index = keys.length - 1; index >= 0; index--) {
      const at = keys[index]?.at ?? 0
      const gap = next - at
      if (gap > longest || isTypedByPerson(gap, (end - next) / count, at - (keys[index - 1]?.at ?? at))) break
      next = at
      count += 1
    }
    const text = keys.slice(keys.length - count).map(({ char }) => char)
    return count >= fewest && end - next <= (count + more) * mean ? text.join('') : null
  }

  /** Processes a key; returns the code if the key is the Enter (at the desk also the Tab) that ends one. */
  take(key: Key, place: Place): string | null {
    // Shift belongs to the next letter; scanners press it, too.
    if (key.key === 'Shift') return null
    const keys = this.#keys
    this.#keys = []
    if (key.repeat || key.isComposing || key.ctrlKey || key.altKey || key.metaKey) return null
    if (key.key === 'Tab' && !this.#atDesk) this.#tabAt = key.at
    if (key.at - this.#tabAt < AFTER_TAB_MS) {
      // A password manager fills in the fields: the rest of the burst comes from it, too.
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
    // The fast burst would be half of this code if one of its keys was late.
    if (slow !== null && BARCODE.test(slow)) return slow
    return fast !== null && (this.#atDesk || LOOKS_LIKE_CARD[place].test(fast)) ? fast : null
  }
}

type TextField = HTMLInputElement | HTMLTextAreaElement
/** Selects are included, because typing a letter chooses an option. */
type Field = TextField | HTMLSelectElement

function fieldOf(target: EventTarget | null): Field | null {
  if (target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return target
  const isText = target instanceof HTMLInputElement && !['checkbox', 'radio', 'range', 'file'].includes(target.type)
  return isText ? target : null
}

/** Sets a field's value and fires the events of typing. */
function writeInto(field: Field, value: string): void {
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')?.set?.call(field, value)
  field.dispatchEvent(new Event(field instanceof HTMLSelectElement ? 'change' : 'input', { bubbles: true }))
}

export type Scan = {
  code: string
  place: Place
  /** Element that had the focus. */
  target: EventTarget | null
  /** Restores the field's text from before the scan. */
  putBack: () => void
}

type WedgeOptions = {
  /** True if a scan may also end with Tab, and may be any text in every field. */
  atDesk?: boolean
  /** Returns true if an element handles scans itself. */
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
    /** Values of the focused fields before each key that the detector holds. */
    let before: ({ field: Field; value: string } | null)[] = []

    const onKeyDown = (event: Event) => {
      // A browser that fills in a saved password fires key events without a key.
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
      // A space would press a button, and a slash would open the browser's search.
      if (length > 1 && field === null && detector.isBurst) event.preventDefault()
      if (code === null) return

      // Prevents submitting the form or pressing the focused button.
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
