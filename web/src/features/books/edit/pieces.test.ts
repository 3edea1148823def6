import { expect, test } from 'vitest'
import { piecesOf } from './pieces'

/** Puts changed pieces in brackets. */
const marked = (text: string, other: string) =>
  piecesOf(text, other)
    .map((piece) => (piece.changed ? `[${piece.text}]` : piece.text))
    .join('')

test.each([
  ['one two three', 'one 2 three', 'one [two ]three'],
  ['one three', 'one two three', 'one three'],
  ['one two', 'one two three', 'one two'],
  ['two tailors, a village, and war', 'three tailors, a town, and war', '[two ]tailors, a [village, ]and war'],
  ['', 'new', '[]'],
  ['a b a', 'a a', 'a [b ]a'],
])('the words of %j that are not in %j', (text, other, pieces) => {
  expect(marked(text, other)).toBe(pieces)
})

test('long stretches without a change are cut short, so that the changes are seen', () => {
  const long = Array.from({ length: 60 }, (_, index) => `w${index} `).join('')
  expect(marked(`start ${long}end`, `begin ${long}stop`)).toBe(
    '[start ]w0 w1 w2 w3 w4 w5 w6 w7 … w52 w53 w54 w55 w56 w57 w58 w59 [end]',
  )
  expect(marked(`${long}end`, `${long}stop`)).toBe('… w52 w53 w54 w55 w56 w57 w58 w59 [end]')
})
