import { diffArrays } from 'diff'

/** A piece of a text; `changed` if the other text differs there. */
export type Piece = { text: string; changed: boolean }

/** Texts with more differing words are not compared word by word. */
const MAX_EDITS = 1000
/** Unchanged words kept around a change. */
const CONTEXT = 8

/** Splits a text into pieces and marks those missing from the other text; long unchanged stretches are shortened. */
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

/** Words, each with the space after it. */
const wordsOf = (text: string): string[] => text.split(/(?<=\s)/)

/** Compares words without the space after them, which the last word of a text lacks. */
const sameWord = (one: string, other: string): boolean => one.trimEnd() === other.trimEnd()

/** Shortens an unchanged stretch to the words beside a change. */
function shortened(words: readonly string[], first: boolean, last: boolean): string {
  const head = first ? 0 : CONTEXT
  const tail = last ? 0 : CONTEXT
  if (words.length <= head + tail + CONTEXT) return words.join('')
  return `${words.slice(0, head).join('')}… ${words.slice(words.length - tail, words.length).join('')}`
}
