import { forms } from '../../../api/contract'
import type { BookDetail, BookForm, BookStatus, NewBook } from '../../../api/types'
import { check, validators } from '../../../api/validate'

/** What stands in the fields of the book form. */
export type BookValues = {
  title: string
  author: string
  genre: string
  photoURL: string
  description: string
  /** Blank while a number is typed. */
  noOfBooks: number | ''
  location: string
  status: BookStatus
  /** 0 until stars are chosen; only a new book is asked for them. */
  rating: number
  /** Of a new book's copies, one a line: those that have one already (R-COPY-3). */
  barcodes: string
}

export const barcodesOf = (values: BookValues): string[] => values.barcodes.split('\n').filter(Boolean)

export type BookField = keyof BookValues

/** Those that an update shows. */
export type UpdateField = Exclude<BookField, 'rating' | 'barcodes'>

export const isUpdateField = (field: BookField): field is UpdateField => field !== 'rating' && field !== 'barcodes'

/** In the order of the screen. */
export const BOOK_FIELDS = [
  'title',
  'author',
  'genre',
  'photoURL',
  'description',
  'noOfBooks',
  'location',
  'status',
  'rating',
  'barcodes',
] as const satisfies readonly BookField[]

export const rules = forms.BookForm

/** One copy, to be had: what a new book mostly is. */
export const NEW_BOOK: BookValues = {
  title: '',
  author: '',
  genre: '',
  photoURL: '',
  description: '',
  noOfBooks: 1,
  location: '',
  status: 'Available',
  rating: 0,
  barcodes: '',
}

/** Of the draft of a new book, or of the edit of one. */
export const draftName = (form: 'add' | number): string => `book ${form}`

export function valuesOf(book: BookDetail): BookValues {
  const { title, author, genre, photoURL, description, noOfBooks, location, status, rating } = book
  return { title, author, genre, photoURL, description, noOfBooks, location, status, rating: rating ?? 0, barcodes: '' }
}

/** An update leaves the stars alone by not naming them. */
export function updateOf({ rating: _stars, barcodes: _none, ...values }: BookValues): BookForm {
  return { ...values, noOfBooks: Number(values.noOfBooks) }
}

export function newBookOf(values: BookValues): NewBook {
  return { ...values, noOfBooks: Number(values.noOfBooks), barcodes: barcodesOf(values) }
}

export function sameValues(one: BookValues, other: BookValues): boolean {
  return BOOK_FIELDS.every((field) => one[field] === other[field])
}

const byRule = validators('BookForm')

export const addRules = {
  ...byRule,
  rating: (stars: number) => (stars === 0 ? check('BookForm', 'rating', '', 'required') : byRule.rating(stars)),
}

/** A number that is 0 because every copy is lent may stay 0. */
export function updateRules(loadedCopies: () => number | '') {
  return {
    ...byRule,
    noOfBooks: (copies: number | '') => (copies === 0 && loadedCopies() === 0 ? null : byRule.noOfBooks(copies)),
    rating: () => null,
  }
}

/** The status follows the number of books over the line between none and some; otherwise it stays as it was set. */
export function statusAfter(status: BookStatus, before: number, after: number): BookStatus {
  if (before > 0 === after > 0) return status
  const [available, notAvailable] = rules.status.values
  return after > 0 ? available : notAvailable
}
