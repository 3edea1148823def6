import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { action, type Call } from './action'
import { client, dataOf } from './client'
import { keys } from './keys'
import type { Override } from './types'

const LOANS_PER_PAGE = 50

/** One page of every open loan of the library, most overdue first (administrators). `cursor` null is the first page. */
export const loanListQuery = (page: { q: string; cursor: string | null }) =>
  queryOptions({
    queryKey: keys.loanList(page),
    queryFn: ({ signal }) =>
      dataOf(
        client.GET('/loans', {
          params: {
            query: {
              ...(page.q && { q: page.q }),
              limit: LOANS_PER_PAGE,
              ...(page.cursor !== null && { cursor: page.cursor }),
            },
          },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  })

/** How many books should be back already, for the navigation bar. */
export const overdueQuery = queryOptions({
  queryKey: keys.overdue,
  queryFn: async ({ signal }) => {
    const { overdue } = await dataOf(client.GET('/loans', { params: { query: { limit: 1 } }, signal }))
    return overdue
  },
  staleTime: 60_000,
})

export const myLoansQuery = queryOptions({
  queryKey: keys.myLoans,
  queryFn: ({ signal }) => dataOf(client.GET('/me/loans', { signal })),
})

/** A loan that begins, moves or ends changes the lists of loans and the count on the book. */
const EVERYTHING = [keys.loans, keys.myLoans, keys.books, keys.people, keys.holds, keys.myHolds]

/** Also after a refusal the lists are read again: the copy that was shown has just been borrowed by somebody else. */
export const borrowBook = action({
  name: 'borrowBook',
  send: (bookId: number, call) =>
    dataOf(client.POST('/books/{id}/loans', { params: { path: { id: bookId } }, ...call })),
  changes: () => EVERYTHING,
  fault: 'The book could not be borrowed',
})

/** Ends a loan; the answer tells where the copy is then. */
const endLoan = (id: number, body: { restock?: true }, call: Call) =>
  dataOf(
    client.POST('/loans/{id}/return', {
      params: { path: { id }, header: { Prefer: 'return=representation' } },
      body,
      ...call,
    }),
  )

/** A student gives a book back. */
export const returnLoan = action({
  name: 'returnLoan',
  send: ({ id }: { id: number }, call) => endLoan(id, {}, call),
  changes: () => EVERYTHING,
  fault: 'The book could not be returned',
})

/** A librarian takes a book back: onto the shelf, or to be shelved (R-LOAN-3, R-COPY-4). */
export const takeBack = action({
  name: 'takeBack',
  send: ({ id, restock }: { id: number; restock: boolean }, call) =>
    endLoan(id, restock ? { restock: true } : {}, call),
  changes: () => [...EVERYTHING, keys.toShelve],
  fault: 'The book could not be returned',
})

type LoanPage = Awaited<ReturnType<NonNullable<ReturnType<typeof loanListQuery>['queryFn']>>>

export const extendLoan = action({
  name: 'extendLoan',
  send: ({ id, override }: { id: number; override?: Override }, call) =>
    dataOf(
      client.POST('/loans/{id}/extend', {
        params: { path: { id } },
        body: override === undefined ? {} : { override },
        ...call,
      }),
    ),
  // The row stays where it is with its new date: sorted in at once, it would jump away from under the pointer.
  learn: (queries, moved) =>
    queries.setQueriesData<LoanPage>(
      { queryKey: keys.loanLists },
      (page) =>
        page && { ...page, loans: page.loans.map((loan) => (loan.id === moved.id ? { ...loan, ...moved } : loan)) },
    ),
  changes: (_input, moved) => (moved ? [keys.myLoans, keys.people] : [keys.loans, keys.myLoans, keys.people]),
  fault: 'The return date could not be extended',
})
