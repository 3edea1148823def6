/** Every query key is made here, from the general to the particular, so that one prefix invalidates all below it. */
export const keys = {
  config: ['config'] as const,
  session: ['session'] as const,
  me: ['me'] as const,
  myLoans: ['me', 'loans'] as const,
  books: ['books'] as const,
  bookList: (filter: { q: string; field: string; sort: string }) => ['books', 'list', filter] as const,
  newestBooks: (limit: number) => ['books', 'newest', limit] as const,
  booksTitled: (title: string) => ['books', 'titled', title] as const,
  booksBy: (author: string) => ['books', 'by', author] as const,
  book: (id: number) => ['books', 'one', id] as const,
  reviews: (id: number) => ['books', 'one', id, 'reviews'] as const,
  loans: ['loans'] as const,
  loanLists: ['loans', 'list'] as const,
  loanList: (page: { q: string; cursor: string | null }) => ['loans', 'list', page] as const,
}
