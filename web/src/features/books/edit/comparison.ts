import { BOOK_FIELDS, type BookField, type BookValues, isUpdateField, type UpdateField } from './bookValues'

/** A field that somebody else saved differently from what stands in the form. */
export type Difference = {
  field: UpdateField
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
    if (!isUpdateField(field) || theirs[field] === yours[field]) continue
    const touched = yours[field] !== base[field]
    differences.push({ field, theirs: theirs[field], yours: yours[field], touched })
    if (!touched) untouched[field] = theirs[field]
  }
  return { differences, merged: { ...yours, ...untouched } as BookValues }
}
