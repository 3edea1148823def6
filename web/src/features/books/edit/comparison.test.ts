import { expect, test } from 'vitest'
import { NEW_BOOK } from './bookValues'
import { compare } from './comparison'

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
