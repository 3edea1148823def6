import { forms } from '../../../api/contract'
import type { BookDetail, BookForm, BookStatus, NewBook } from '../../../api/types'
import { check, validators } from '../../../api/validate'

/** Values of the book form. */
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
  /** 0 until stars are chosen; only for a new book. */
  rating: number
  /** Existing barcodes of a new book's copies, one per line (R-COPY-3). */
  barcodes: string
}

export const barcodesOf = (values: BookValues): string[] => values.barcodes.split('\n').filter(Boolean)

export type BookField = keyof BookValues

/** Fields of an update. */
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

/** Defaults of a new book: one available copy. */
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

/** Name of the draft of a new book, or of an edit. */
export const draftName = (form: 'add' | number): string => `book ${form}`

export function valuesOf(book: BookDetail): BookValues {
  const { title, author, genre, photoURL, description, noOfBooks, location, status, rating } = book
  return { title, author, genre, photoURL, description, noOfBooks, location, status, rating: rating ?? 0, barcodes: '' }
}

/** An update omits the stars, so they stay. */
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

/** A loaded 0 may stay 0, because all copies may be on loan. */
export function updateRules(loadedCopies: () => number | '') {
  return {
    ...byRule,
    noOfBooks: (copies: number | '') => (copies === 0 && loadedCopies() === 0 ? null : byRule.noOfBooks(copies)),
    rating: () => null,
  }
}

/** The status changes when the number of books reaches or leaves zero; otherwise it stays as set. */
export function statusAfter(status: BookStatus, before: number, after: number): BookStatus {
  if (before > 0 === after > 0) return status
  const [available, notAvailable] = rules.status.values
  return after > 0 ? available : notAvailable
}
