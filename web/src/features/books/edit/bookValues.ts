import { forms } from '../../../api/contract'
import type { BookDetail, BookForm, BookStatus, NewBook } from '../../../api/types'
import { check, labelOf, validators } from '../../../api/validate'
import { amountOf, typedAmount } from '../../../lib/amount'
import { isbn13, isbnLength } from '../../../lib/isbn'
import { t } from '../../../lib/messages'

export type BookValues = {
  title: string
  author: string
  genre: string
  photoURL: string
  description: string
  /** Blank while another number is typed. */
  noOfBooks: number | ''
  location: string
  status: BookStatus
  /** 0 until stars are chosen; sent only for a new book. */
  rating: number
  /** Existing barcodes of a new book's copies, one per line (R-COPY-3). */
  barcodes: string
} & ImprintValues

/** Optional values: publication data, call number and price, as typed. */
export type ImprintValues = {
  isbn: string
  publisher: string
  edition: string
  publishedYear: string
  language: string
  callNumber: string
  price: string
}

export const barcodesOf = (values: BookValues): string[] => values.barcodes.split('\n').filter(Boolean)

export type BookField = keyof BookValues

/** Fields that an update sends: all except the stars and the barcodes. */
export type UpdateField = Exclude<BookField, 'rating' | 'barcodes'>

export const isUpdateField = (field: BookField): field is UpdateField => field !== 'rating' && field !== 'barcodes'

/** Fields of the form, in the order of the screen. */
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
  'isbn',
  'publisher',
  'edition',
  'publishedYear',
  'language',
  'callNumber',
  'price',
] as const satisfies readonly BookField[]

export const rules = forms.BookForm

const NO_IMPRINT: ImprintValues = {
  isbn: '',
  publisher: '',
  edition: '',
  publishedYear: '',
  language: '',
  callNumber: '',
  price: '',
}

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
  ...NO_IMPRINT,
}

/** Returns the name of the draft of a new book (`add`) or of an edit (the book's id). */
export const draftName = (form: 'add' | number): string => `book ${form}`

export function valuesOf(book: BookDetail): BookValues {
  const { title, author, genre, photoURL, description, noOfBooks, location, status, rating } = book
  const imprint = {
    isbn: book.isbn ?? '',
    publisher: book.publisher,
    edition: book.edition,
    publishedYear: book.publishedYear === null ? '' : String(book.publishedYear),
    language: book.language ?? '',
    callNumber: book.callNumber,
    price: book.price === null ? '' : typedAmount(book.price),
  }
  const own = { title, author, genre, photoURL, description, noOfBooks, location, status }
  return { ...own, rating: rating ?? 0, barcodes: '', ...imprint }
}

/** Returns the update to send; it omits the stars, so the server keeps them. */
export function updateOf({ rating: _stars, barcodes: _none, ...values }: BookValues): BookForm {
  return { ...values, noOfBooks: Number(values.noOfBooks), ...imprintOf(values) }
}

/** Returns the new book to send, without blank optional values. */
export function newBookOf(values: BookValues): NewBook {
  const { isbn, publisher, edition, publishedYear, language, callNumber, price, ...own } = values
  const imprint = imprintOf({ isbn, publisher, edition, publishedYear, language, callNumber, price })
  return {
    ...own,
    noOfBooks: Number(values.noOfBooks),
    barcodes: barcodesOf(values),
    ...Object.fromEntries(Object.entries(imprint).filter(([, value]) => value !== null)),
  }
}

const orNull = (text: string): string | null => (text.trim() === '' ? null : text)

function imprintOf({ isbn, publisher, edition, publishedYear, language, callNumber, price }: ImprintValues) {
  return {
    isbn: orNull(isbn),
    publisher: orNull(publisher),
    edition: orNull(edition),
    publishedYear: yearOf(publishedYear),
    language: orNull(language),
    callNumber: orNull(callNumber),
    price: amountOf(price),
  }
}

const yearOf = (typed: string): number | null => (typed.trim() === '' ? null : Number(typed))

/** Returns the error of a typed ISBN, worded like the server's. */
export function isbnProblem(typed: string): string | null {
  if (typed.trim() === '' || isbn13(typed) !== null) return null
  const digits = isbnLength(typed)
  return digits === 10 || digits === 13
    ? t('field.isbnCheck', { isbn: typed.trim() })
    : t('field.isbnLength', { digits })
}

/** Returns the error of a typed price: not an amount, or beyond the limits. */
export function priceProblem(typed: string): string | null {
  if (typed.trim() === '') return null
  const amount = amountOf(typed)
  if (amount === null) return t('field.notAmount')
  const { minimum: min, maximum: max } = rules.price
  return amount < min || amount > max
    ? t('field.amountOutOfRange', { label: labelOf('BookForm', 'price'), min, max })
    : null
}

export function sameValues(one: BookValues, other: BookValues): boolean {
  return BOOK_FIELDS.every((field) => one[field] === other[field])
}

const byRule = {
  ...validators('BookForm'),
  isbn: isbnProblem,
  publishedYear: (typed: string) => (typed.trim() === '' ? null : check('BookForm', 'publishedYear', Number(typed))),
  price: priceProblem,
}

export const addRules = {
  ...byRule,
  rating: (stars: number) => (stars === 0 ? check('BookForm', 'rating', '', 'required') : byRule.rating(stars)),
}

/** Rules of an update: a number of books loaded as 0 may stay 0, because all copies may be on loan. */
export function updateRules(loadedCopies: () => number | '') {
  return {
    ...byRule,
    noOfBooks: (copies: number | '') => (copies === 0 && loadedCopies() === 0 ? null : byRule.noOfBooks(copies)),
    rating: () => null,
  }
}

/** Returns the status after a change of the number of books; only a change to or from zero changes the status. */
export function statusAfter(status: BookStatus, before: number, after: number): BookStatus {
  if (before > 0 === after > 0) return status
  const [available, notAvailable] = rules.status.values
  return after > 0 ? available : notAvailable
}
