import { expect, test } from 'vitest'
import { NEW_BOOK } from './bookValues'
import { compare, piecesOf } from './comparison'

const base = { ...NEW_BOOK, title: 'Emma', author: 'Austen', location: 'A1', noOfBooks: 3 }

test('R-BOOK-7 what she did not touch takes over theirs, what both changed stays hers, and both are listed', () => {
  const theirs = { ...base, author: 'Jane Austen', location: 'B2', genre: 'Novels' }
  const yours = { ...base, location: 'C3', noOfBooks: 5 }

  const { differences, merged } = compare(base, theirs, yours)

  expect(merged).toEqual({ ...base, author: 'Jane Austen', genre: 'Novels', location: 'C3', noOfBooks: 5 })
  expect(differences).toEqual([
    { field: 'author', theirs: 'Jane Austen', yours: 'Austen', touched: false },
    { field: 'genre', theirs: 'Novels', yours: '', touched: false },
    { field: 'noOfBooks', theirs: 3, yours: 5, touched: true },
    { field: 'location', theirs: 'B2', yours: 'C3', touched: true },
  ])
})

test('the same change on both sides is no difference', () => {
  const both = { ...base, title: 'Emma: A Novel' }
  expect(compare(base, both, both)).toEqual({ differences: [], merged: both })
})

/** The changed pieces in brackets. */
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
