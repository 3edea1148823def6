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

/**
 * Tells a keyboard wedge, which types a code and Enter, from a person by the time between keys. It only watches: no key of
 * anybody is held back before a whole burst with its Enter is there.
 */
export class BurstDetector {
  #text = ''
  #first = -Infinity
  #last = -Infinity
  #tabAt = -Infinity

  /** Whether the keys so far may be a scanner's; the key given last is counted. */
  get isBurst(): boolean {
    return this.#text.length >= 2 && this.#isFast(this.#text.length - 1)
  }

  /** Whether the key given last was the first one after a pause. */
  get isFirst(): boolean {
    return this.#text.length === 1
  }

  #isFast(gaps: number): boolean {
    return this.#last - this.#first <= gaps * MEAN_GAP_MS
  }

  /** Takes a key; returns the code when this was the Enter that ends one, or the Tab where a scanner may end with it. */
  take(key: Key, place: Place, endsWithTab = false): string | null {
    // Pressed together with a letter it is the letter's; scanners press it too.
    if (key.key === 'Shift') return null
    const inTime = key.at - this.#last <= LONGEST_GAP_MS
    const text = inTime ? this.#text : ''
    this.#last = key.at
    this.#text = ''
    if (key.repeat || key.isComposing || key.ctrlKey || key.altKey || key.metaKey) return null
    if (key.key === 'Tab' && !endsWithTab) this.#tabAt = key.at
    if (key.at - this.#tabAt < AFTER_TAB_MS) {
      // What follows within the burst is typed by the same program.
      this.#tabAt = key.at
      return null
    }
    if (key.key === 'Enter' || key.key === 'Tab') {
      const isCode = text.length >= FEWEST_KEYS && this.#isFast(text.length) && LOOKS_LIKE_CARD[place].test(text)
      return isCode ? text : null
    }
    if (Array.from(key.key).length === 1) {
      if (text === '') this.#first = key.at
      this.#text = text + key.key
    }
    return null
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
  /** Whether a scan may end with Tab, and may be any text, in every field. */
  endsWithTab?: boolean
  /** Whether an element takes scans by itself. */
  isOwn?: (target: EventTarget | null) => boolean
}

/** Watches the whole page for a keyboard wedge (R-SCAN-9), wherever the focus is. */
export function useKeyboardWedge(
  watches: boolean,
  onScan: (scan: Scan) => void,
  { endsWithTab = false, isOwn }: WedgeOptions = {},
): void {
  const handler = useRef({ onScan, isOwn })
  useEffect(() => {
    handler.current = { onScan, isOwn }
  })

  useEffect(() => {
    if (!watches) return
    let detector = new BurstDetector()
    let before: { field: Field; value: string } | null = null

    const onKeyDown = (event: Event) => {
      // Browsers that fill in a saved password send events that only look like a key's.
      if (!(event instanceof KeyboardEvent) || event.key === 'Shift') return
      if (handler.current.isOwn?.(event.target)) {
        detector = new BurstDetector()
        return
      }
      const field = fieldOf(event.target)
      const place = field === null || endsWithTab ? 'nowhere' : field.type === 'password' ? 'password' : 'field'
      const { key, repeat, isComposing, ctrlKey, altKey, metaKey, timeStamp } = event
      const code = detector.take(
        { key, at: timeStamp, repeat, isComposing, ctrlKey, altKey, metaKey },
        place,
        endsWithTab,
      )
      if (detector.isFirst) before = field && { field, value: field.value }
      // A space would press a button and a slash open the browser's search; nobody types there.
      else if (field === null && detector.isBurst && key.length === 1) event.preventDefault()
      if (code === null) return

      // Not the form's, nor a press of the button that has the focus.
      event.preventDefault()
      event.stopPropagation()
      const typedInto = before && before.field === field ? before : null
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
  }, [watches, endsWithTab])
}
