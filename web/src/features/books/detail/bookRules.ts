import { lengthOf } from '../../../api/validate'
import { intlLocale, t } from '../../../lib/messages'

/** Splits a description into paragraphs at its line breaks; blank lines are dropped. */
export function paragraphsOf(text: string): string[] {
  return text
    .split(/\r?\n\s*\r?\n|\r?\n/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
}

/** "English" for `en` or `eng`; unknown codes stay as they are. */
export function languageName(code: string): string {
  try {
    return new Intl.DisplayNames(intlLocale(), { type: 'language', fallback: 'none' }).of(code) ?? code
  } catch {
    return code
  }
}

/** Formats an average rating: "4.7 out of 5". */
export function averageText(average: number): string {
  return t('books.detail.averageOf', { average: oneDecimal(average) })
}

/** Formats an average with one decimal place: "4.0". */
export const oneDecimal = (average: number): string =>
  average.toLocaleString(intlLocale(), { minimumFractionDigits: 1, maximumFractionDigits: 1 })

export type TitleSize = 'short' | 'long' | 'endless'

/** Returns the size class of a title; `endless` is for a title as long as a paragraph, which is typeset like a paragraph. */
export function titleSize(title: string): TitleSize {
  const length = lengthOf(title)
  return length <= 90 ? 'short' : length <= 250 ? 'long' : 'endless'
}

/** Returns the stars from five to one with their count, and their share relative to the most frequent one. */
export function distributionOf(ratings: readonly number[]): { stars: number; count: number; share: number }[] {
  const most = Math.max(1, ...ratings)
  return [5, 4, 3, 2, 1].map((stars) => {
    const count = ratings[stars - 1] ?? 0
    return { stars, count, share: count / most }
  })
}
