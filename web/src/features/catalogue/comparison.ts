import { BOOK_FIELDS, type BookField, type BookValues } from './bookValues'

/** A field that somebody else saved differently from what stands in the form. */
export type Difference = {
  field: BookField
  theirs: string | number
  yours: string | number
  /** Whether she changed it herself; otherwise `yours` is only what she had loaded. */
  touched: boolean
}

/**
 * Sets an edit against what somebody else saved since `base` was loaded. What she did not touch takes over theirs; what
 * both changed stays hers. Nothing of either is lost: every difference is listed, to be chosen anew.
 */
export function compare(base: BookValues, theirs: BookValues, yours: BookValues) {
  const differences: Difference[] = []
  const untouched: Partial<Record<BookField, string | number>> = {}
  for (const field of BOOK_FIELDS) {
    if (field === 'rating' || theirs[field] === yours[field]) continue
    const touched = yours[field] !== base[field]
    differences.push({ field, theirs: theirs[field], yours: yours[field], touched })
    if (!touched) untouched[field] = theirs[field]
  }
  return { differences, merged: { ...yours, ...untouched } as BookValues }
}

/** A text in three parts, of which the middle is what another text has differently. */
export type Parts = { before: string; changed: string; after: string }

const CONTEXT = 60

/** Where two texts part and meet again, at the borders of words, with some words around. */
export function partsOf(text: string, other: string): Parts {
  const ours = text.split(/(?<=\s)/)
  const others = other.split(/(?<=\s)/)
  const shorter = Math.min(ours.length, others.length)
  let start = 0
  while (start < shorter && ours[start] === others[start]) start++
  let end = 0
  while (end < shorter - start && ours.at(-1 - end) === others.at(-1 - end)) end++

  const before = ours.slice(0, start).join('')
  const after = ours.slice(ours.length - end).join('')
  return {
    before: before.length > CONTEXT ? `…${before.slice(-CONTEXT)}` : before,
    changed: ours.slice(start, ours.length - end).join(''),
    after: after.length > CONTEXT ? `${after.slice(0, CONTEXT)}…` : after,
  }
}
