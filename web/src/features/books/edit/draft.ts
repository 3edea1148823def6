import { tabStorage } from '../../../lib/storage'
import { BOOK_FIELDS, NEW_BOOK, type BookValues } from './bookValues'

/** What was typed and not yet saved, with the book as it was loaded and the version that the typing began from. */
export type Draft = { values: BookValues; base: BookValues; version: string }

/** Every librarian has drafts of the own: the tab may change hands. */
export const draftName = (uid: number, form: 'add' | number) => `bookDraft ${uid} ${form}`

export function readDraft(name: string): Draft | null {
  const text = tabStorage.read(name)
  if (text === null) return null
  try {
    const draft: unknown = JSON.parse(text)
    return isDraft(draft) ? draft : null
  } catch {
    return null
  }
}

export function writeDraft(name: string, draft: Draft): void {
  tabStorage.write(name, JSON.stringify(draft))
}

export function clearDraft(name: string): void {
  tabStorage.remove(name)
}

/** A draft may have been written by an older version of this page. */
function isDraft(draft: unknown): draft is Draft {
  return (
    typeof draft === 'object' &&
    draft !== null &&
    'version' in draft &&
    typeof draft.version === 'string' &&
    'values' in draft &&
    isValues(draft.values) &&
    'base' in draft &&
    isValues(draft.base)
  )
}

function isValues(values: unknown): values is BookValues {
  if (typeof values !== 'object' || values === null) return false
  const found = values as Record<string, unknown>
  return BOOK_FIELDS.every(
    (field) => typeof found[field] === typeof NEW_BOOK[field] || (field === 'noOfBooks' && found[field] === ''),
  )
}
