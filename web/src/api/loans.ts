import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { client, dataOf } from './client'
import { keys } from './keys'

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

export const myLoansQuery = queryOptions({
  queryKey: keys.myLoans,
  queryFn: ({ signal }) => dataOf(client.GET('/me/loans', { signal })),
})

/** A loan that begins, moves or ends changes the lists of loans and the count on the book. */
function useInvalidateLoans() {
  const queries = useQueryClient()
  return () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: keys.loans }),
      queries.invalidateQueries({ queryKey: keys.myLoans }),
      queries.invalidateQueries({ queryKey: keys.books }),
    ])
}

export function useBorrow() {
  const invalidate = useInvalidateLoans()
  return useMutation({
    mutationFn: (bookId: number) => dataOf(client.POST('/books/{id}/loans', { params: { path: { id: bookId } } })),
    // Also after a refusal: the copy that was shown has just been borrowed by somebody else.
    onSettled: () => void invalidate(),
  })
}

export function useReturnLoan() {
  const invalidate = useInvalidateLoans()
  return useMutation({
    mutationFn: ({ id, restock }: { id: number; restock?: boolean }) =>
      dataOf(
        client.POST('/loans/{id}/return', {
          params: { path: { id } },
          body: restock === undefined ? {} : { restock },
        }),
      ),
    onSettled: () => invalidate(),
  })
}

type LoanPage = Awaited<ReturnType<NonNullable<ReturnType<typeof loanListQuery>['queryFn']>>>

export function useExtendLoan() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (id: number) => dataOf(client.POST('/loans/{id}/extend', { params: { path: { id } } })),
    // The row stays where it is with its new date: sorted in at once, it would jump away from under the pointer.
    onSuccess: (moved) => {
      queries.setQueriesData<LoanPage>(
        { queryKey: keys.loans },
        (page) =>
          page && { ...page, loans: page.loans.map((loan) => (loan.id === moved.id ? { ...loan, ...moved } : loan)) },
      )
      return queries.invalidateQueries({ queryKey: keys.myLoans })
    },
    onError: () => Promise.all([keys.loans, keys.myLoans].map((queryKey) => queries.invalidateQueries({ queryKey }))),
  })
}
