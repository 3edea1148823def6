import { BOOK_FIELDS, type BookField, type BookValues, isUpdateField, type UpdateField } from './bookValues'

/** A field that another librarian saved differently from the form. */
export type Difference = {
  field: UpdateField
  theirs: string | number
  yours: string | number
  /** True if this librarian changed the field; otherwise `yours` is the loaded value. */
  touched: boolean
}

/**
 * Compares an edit with what another librarian saved since `base` was loaded. Untouched fields take the saved values;
 * fields changed by both keep the edit. Every difference is listed, so that the librarian can choose either value.
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
