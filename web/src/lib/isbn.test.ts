import { describe, expect, it } from 'vitest'
import { isbn13, isbnLength } from './isbn'

describe('an ISBN', () => {
  it.each([
    ['978-0-7475-3269-9', '9780747532699'],
    ['0-7475-3269-9', '9780747532699'],
    ['080442957x', '9780804429573'],
  ])('R-BOOK-5: %s has thirteen digits', (typed, isbn) => expect(isbn13(typed)).toBe(isbn))

  it.each(['9780747532698', '0747532698', '8901234567894', '123', 'L000001', ''])('R-BOOK-5: %s is none', (typed) =>
    expect(isbn13(typed)).toBeNull(),
  )

  it('R-BOOK-5: its digits are counted without hyphens', () => expect(isbnLength('978-0-7475')).toBe(8))
})
