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

/** A piece of a text, and whether another text has it differently. */
export type Piece = { text: string; changed: boolean }

/** Texts of more words than this are not compared word by word. */
const MAX_WORDS = 2000
/** Words that stay visible around a change. */
const CONTEXT = 8

/** A text in pieces, of which the changed ones are not in the other text; long stretches without a change are cut short. */
export function piecesOf(text: string, other: string): readonly Piece[] {
  const words = text.split(/(?<=\s)/)
  // The space after a word is none of it: the last word of a text has none.
  const common = commonWords(words.map(trimmed), other.split(/(?<=\s)/).map(trimmed))
  const runs: { words: string[]; changed: boolean }[] = []
  for (const [index, word] of words.entries()) {
    const changed = !common[index]
    const run = runs.at(-1)
    if (run?.changed === changed) run.words.push(word)
    else runs.push({ words: [word], changed })
  }
  return runs.map((run, index) => ({
    changed: run.changed,
    text: run.changed ? run.words.join('') : shortened(run.words, index === 0, index === runs.length - 1),
  }))
}

const trimmed = (word: string) => word.trimEnd()

/** An unchanged stretch: its beginning and end as far as they stand beside a change. */
function shortened(words: readonly string[], first: boolean, last: boolean): string {
  const head = first ? 0 : CONTEXT
  const tail = last ? 0 : CONTEXT
  if (words.length <= head + tail + CONTEXT) return words.join('')
  return `${words.slice(0, head).join('')}… ${words.slice(words.length - tail, words.length).join('')}`
}

/** For each word whether it belongs to the longest sequence of words that both texts have. */
function commonWords(words: readonly string[], others: readonly string[]): boolean[] {
  if (words.length > MAX_WORDS || others.length > MAX_WORDS) return words.map(() => false)
  const width = others.length + 1
  // How long the common sequence is from here to both ends.
  const longest = new Uint16Array((words.length + 1) * width)
  const at = (i: number, j: number) => longest[i * width + j] ?? 0
  for (let i = words.length - 1; i >= 0; i--) {
    for (let j = others.length - 1; j >= 0; j--) {
      const same = words[i] === others[j]
      longest[i * width + j] = same ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const common = words.map(() => false)
  let i = 0
  let j = 0
  while (i < words.length && j < others.length) {
    if (words[i] === others[j]) {
      common[i++] = true
      j++
    } else if (at(i + 1, j) >= at(i, j + 1)) i++
    else j++
  }
  return common
}
