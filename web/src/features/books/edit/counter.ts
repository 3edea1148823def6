import { t } from '../../../lib/messages'
import { rules } from './bookValues'

const { minLength, maxLength } = rules.description
const NEAR_THE_END = 500

/** "At least 200 characters, 57 to go" until there are enough, and how many there may be when there are nearly too many. */
export function counterText(length: number): string {
  if (length < minLength) return t('books.form.counterShort', { min: minLength, left: minLength - length })
  if (length > maxLength - NEAR_THE_END) return t('books.form.counterFull', { length, max: maxLength })
  return t('books.form.counter', { length })
}
