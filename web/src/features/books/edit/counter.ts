import { t } from '../../../lib/messages'
import { rules } from './bookValues'

const { minLength, maxLength } = rules.description
const NEAR_THE_END = 500

/** Returns "At least 200 characters, 57 to go" for a short text, else the count, with the limit if it is near. */
export function counterText(length: number): string {
  if (length < minLength) return t('books.edit.charactersAtLeast', { min: minLength, left: minLength - length })
  if (length > maxLength - NEAR_THE_END) return t('books.edit.charactersAtMost', { length, max: maxLength })
  return t('books.edit.characters', { length })
}
