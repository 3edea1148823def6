import { diffArrays } from 'diff'

/** A piece of a text, and whether another text has it differently. */
export type Piece = { text: string; changed: boolean }

/** Texts that differ in more words than this are not compared word by word. */
const MAX_EDITS = 1000
/** Words that stay visible around a change. */
const CONTEXT = 8

/** A text in pieces, of which the changed ones are not in the other text; long stretches without a change are cut short. */
export function piecesOf(text: string, other: string): readonly Piece[] {
  const runs = diffArrays(wordsOf(other), wordsOf(text), { comparator: sameWord, maxEditLength: MAX_EDITS })
  if (!runs) return [{ text, changed: true }]
  return runs
    .filter(({ removed }) => !removed)
    .map(({ added, value }, index, { length }) => ({
      changed: added,
      text: added ? value.join('') : shortened(value, index === 0, index === length - 1),
    }))
}

/** Each with the space after it. */
const wordsOf = (text: string): string[] => text.split(/(?<=\s)/)

/** The space after a word is none of it: the last word of a text has none. */
const sameWord = (one: string, other: string): boolean => one.trimEnd() === other.trimEnd()

/** An unchanged stretch: its beginning and end as far as they stand beside a change. */
function shortened(words: readonly string[], first: boolean, last: boolean): string {
  const head = first ? 0 : CONTEXT
  const tail = last ? 0 : CONTEXT
  if (words.length <= head + tail + CONTEXT) return words.join('')
  return `${words.slice(0, head).join('')}… ${words.slice(words.length - tail, words.length).join('')}`
}
