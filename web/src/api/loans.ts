import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { action, type Call } from './action'
import { client, dataOf } from './client'
import { keys } from './keys'
import { everyPage } from './pages'
import type { LoanDue, LoanOrder, Override } from './types'

const LOANS_PER_PAGE = 50

/** Search, selection and order of the list of open loans, as in its address. */
export type LoanList = { q: string; due: LoanDue | null; sort: LoanOrder }

const queryOf = ({ q, due, sort }: LoanList) => ({
  ...(q !== '' && { q }),
  ...(due !== null && { due }),
  ...(sort !== 'returnDate' && { sort }),
})

/** A page of all open loans (librarians). `cursor` null is the first page. */
export const loanListQuery = (list: LoanList, cursor: string | null) =>
  queryOptions({
    queryKey: keys.loanList({ ...list, cursor }),
    queryFn: ({ signal }) =>
      dataOf(
        client.GET('/loans', {
          params: { query: { ...queryOf(list), limit: LOANS_PER_PAGE, ...(cursor !== null && { cursor }) } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  })

/** Returns the address of the CSV export. */
export const loansFile = (list: LoanList): string =>
  `/library/api/v1/loans.csv?${new URLSearchParams(queryOf(list)).toString()}`

const LOANS_PER_PORTION = 100

/** All open loans of a list by batch and name, to be printed. */
export const loansByClassQuery = (list: LoanList) =>
  queryOptions({
    queryKey: [...keys.loans, 'by-class', list],
    queryFn: async ({ signal }) => {
      const query = { ...queryOf({ ...list, sort: 'batch' }), limit: LOANS_PER_PORTION }
      const pages = await everyPage((cursor) =>
        dataOf(client.GET('/loans', { params: { query: { ...query, ...(cursor !== null && { cursor }) } }, signal })),
      )
      return pages.flatMap(({ loans }) => loans)
    },
    gcTime: 0,
  })

/** Number of overdue loans, for the navigation bar. */
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

/** Invalidated when a loan begins, moves or ends. */
const EVERYTHING = [keys.loans, keys.myLoans, keys.books, keys.people, keys.holds, keys.myHolds]

/** The notices of one loan replace each other: after a return, an extension cannot be undone. */
const aboutLoan = ({ id }: { id: number }): string => `loan ${id}`

/** Borrows a book; after a refusal the lists are reloaded too, since another reader may have borrowed the copy. */
export const borrowBook = action({
  name: 'borrowBook',
  send: (bookId: number, call) =>
    dataOf(client.POST('/books/{id}/loans', { params: { path: { id: bookId } }, ...call })),
  about: (_bookId, loan) => aboutLoan(loan),
  changes: () => EVERYTHING,
  fault: 'The book could not be borrowed',
})

/** Ends a loan; the answer says where the copy is now. */
const endLoan = (id: number, body: { restock?: true }, call: Call) =>
  dataOf(
    client.POST('/loans/{id}/return', {
      params: { path: { id }, header: { Prefer: 'return=representation' } },
      body,
      ...call,
    }),
  )

/** A loan to end, and the title for the notice. */
type Ended = { id: number; title: string }

/** Returns a student's own book. */
export const returnLoan = action({
  name: 'returnLoan',
  send: ({ id }: Ended, call) => endLoan(id, {}, call),
  about: aboutLoan,
  changes: () => EVERYTHING,
  fault: 'The book could not be returned',
})

/** Returns a book at the desk: onto the shelf, or to be shelved (R-LOAN-3, R-COPY-4). */
export const takeBack = action({
  name: 'takeBack',
  send: ({ id, restock }: Ended & { restock: boolean }, call) => endLoan(id, restock ? { restock: true } : {}, call),
  about: aboutLoan,
  changes: () => [...EVERYTHING, keys.toShelve],
  fault: 'The book could not be returned',
})

/** A page of open loans with the sums of its list. */
export type LoanPage = Awaited<ReturnType<NonNullable<ReturnType<typeof loanListQuery>['queryFn']>>>

/** Sets the due date of one loan by hand. */
export const setDueDate = action({
  name: 'setDueDate',
  send: ({ id, ...body }: { id: number; returnDate: string; reason: string }, call) =>
    dataOf(client.POST('/loans/{id}/due-date', { params: { path: { id } }, body, ...call })),
  about: aboutLoan,
  changes: () => EVERYTHING,
  fault: 'The due date could not be set',
  expected: ['invalid', 'not-found'],
})

/** Maximum number of loans of a call (`SlipsForm`). */
export const SLIPS_AT_ONCE = 2000

/** Records that reminder slips for these loans go to the printer. */
export const recordSlips = action({
  name: 'recordSlips',
  send: (loans: readonly number[], call) =>
    dataOf(client.POST('/loans/slips', { body: { loans: [...loans] }, ...call })),
  changes: () => [keys.loans, keys.changes],
  fault: 'The slips could not be recorded',
})

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
  about: aboutLoan,
  // The row keeps its place with the new date, because a re-sorted row would jump away from the pointer.
  learn: (queries, moved) =>
    queries.setQueriesData<LoanPage>(
      { queryKey: keys.loanLists },
      (page) =>
        page && { ...page, loans: page.loans.map((loan) => (loan.id === moved.id ? { ...loan, ...moved } : loan)) },
    ),
  changes: (_input, moved) => (moved ? [keys.myLoans, keys.people] : [keys.loans, keys.myLoans, keys.people]),
  fault: 'The return date could not be extended',
})
