import type { Book, BookDetail, Config, MyLoan, Notice, SimilarBook, User } from '../api/types'

/** People and books for tests. */
export const librarian: User = {
  uid: 1,
  email: 'librarian@library.test',
  name: 'Meera Iyer',
  role: 'admin',
  rollNumber: null,
  department: null,
  batch: null,
  createdAt: '2026-01-05T09:00:00Z',
  capabilities: ['desk', 'catalogue', 'people', 'money', 'settings'],
}

export const student: User = {
  uid: 2,
  email: 'student@library.test',
  name: 'Asha Rao',
  role: 'student',
  rollNumber: 'cs2026-001',
  department: 'Computer Science',
  batch: '2027',
  createdAt: '2026-01-05T09:00:00Z',
  capabilities: [],
}

/** Session of this user, as the server answers it. */
export const sessionOf = (user: User | null) => ({ body: { user, idCard: true } })

/** Settings of a new library. */
export const config: Config = {
  name: '',
  currency: '₹',
  address: '',
  onReceipts: '',
  upiAddress: '',
  currencyCode: 'INR',
  languages: ['en', 'hi'],
  language: 'en',
  loanDays: 7,
  renewalDays: 7,
  finePerDay: 5,
  graceDays: 0,
  maxFine: null,
  maxLoans: null,
  maxRenewals: null,
  selfBorrow: true,
  selfReturn: true,
  selfRenew: true,
  batches: ['2025', '2026', '2027', '2028'],
  departments: [],
  today: '2026-11-21',
  lastOpenDay: '2026-11-20',
  timeZone: 'Asia/Kolkata',
  isbnLookUp: false,
}

export function book(id: number, more: Partial<Book> = {}): Book {
  return {
    id,
    title: `Book ${id}`,
    author: `Author ${id}`,
    genre: 'Fiction',
    photoURL: '',
    status: 'Available',
    noOfBooks: 3,
    location: 'Shelf A1',
    rating: 4,
    isbn: null,
    publishedYear: null,
    language: null,
    averageRating: null,
    reviewCount: 0,
    ...more,
  }
}

export const bookDetail = (id: number, more: Partial<BookDetail> = {}): BookDetail => ({
  ...book(id),
  description: 'A description.',
  publisher: '',
  edition: '',
  callNumber: '',
  price: null,
  copies: 3,
  nextDue: null,
  reservation: {
    offered: false,
    waiting: 0,
    free: more.noOfBooks ?? 3,
    fillable: true,
    inRepair: 0,
    backBy: null,
    own: null,
  },
  refusals: [],
  ...more,
})

/** A loan of the student that begins today. */
export const loan = (id: number, more: Partial<MyLoan> = {}): MyLoan => ({
  id,
  userId: student.uid,
  bookId: id,
  title: `Book ${id}`,
  titleDeleted: false,
  EntryDate: '2026-11-21',
  returnDate: '2026-11-28',
  fine: 0,
  overdueDays: 0,
  copyId: id,
  barcode: `L${id}`,
  renewals: 0,
  renewalDays: 7,
  explain: [],
  reasons: [],
  refusals: [],
  ...more,
})

export function bookPage(
  books: Book[],
  more: {
    total?: number
    totalIsExact?: boolean
    next?: string
    meant?: { words: string; fewer: boolean }
    similar?: SimilarBook[]
    similarFirst?: boolean
  } = {},
) {
  return {
    body: {
      books,
      total: books.length,
      totalIsExact: true,
      next: null,
      previous: null,
      meant: null,
      similar: [],
      similarFirst: false,
      ...more,
    },
  }
}

/** Returns an unread notice that a book of the student is due today. */
export const notice = (id: number, changes: Partial<Notice> = {}): Notice => ({
  id,
  toGuardian: false,
  kind: 'due-today',
  text: [{ code: 'notice.dueToday', params: { title: `Book ${id}`, due: '2026-11-28' }, text: '' }],
  at: '2026-11-28T01:00:00Z',
  readAt: null,
  withdrawnAt: null,
  mailedAt: null,
  unmailed: null,
  bookId: id,
  loanId: id,
  holdId: null,
  ...changes,
})
