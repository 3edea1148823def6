import { genreName } from '../genre'

type Genre = { genre: string; books: number }

/** Common short forms of genres that are not the start of their names. */
const SHORT_FORMS: Readonly<Record<string, string>> = {
  maths: 'mathematics',
  'sci fi': 'science fiction',
  scifi: 'science fiction',
  'comp sci': 'computer science',
}

/** Fewer letters would match too many genres. */
const LETTERS = 3

/** Returns the lower-cased words of a text, with one space between them. */
const wordsOf = (text: string): string =>
  text
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/['’]/g, '')
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim()

/** Returns how well a genre's name matches the typed words: whole, from its start, from another word, or not at all. */
function matchOf(name: string, typed: string): number {
  const words = wordsOf(name)
  if (words === typed) return 3
  if (words.startsWith(typed)) return 2
  return words.includes(` ${typed}`) ? 1 : 0
}

/** Returns the genre whose name, in English or in the page's language, a search begins to spell; of several the largest. */
export function genreTyped(text: string, genres: readonly Genre[]): Genre | undefined {
  const words = wordsOf(text)
  const typed = SHORT_FORMS[words] ?? words
  if (typed.length < LETTERS) return undefined
  return genres
    .map((one) => ({ one, match: Math.max(matchOf(one.genre, typed), matchOf(genreName(one.genre), typed)) }))
    .filter(({ match }) => match > 0)
    .toSorted((a, b) => b.match - a.match || b.one.books - a.one.books)[0]?.one
}
