import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { action, type Call } from './action'
import { client, dataOf } from './client'
import { keys } from './keys'
import { everyPage, FIRST_PAGE, pageAfter } from './pages'
import type { ChargeForm, Debtor, LineKind, Method, PaymentForm, RefundForm, WaiverForm } from './types'

/** A person's balance, charges and newest lines. */
export const accountQuery = (uid: number) =>
  queryOptions({
    queryKey: keys.account(uid),
    queryFn: ({ signal }) => dataOf(client.GET('/people/{id}/account', { params: { path: { id: uid } }, signal })),
  })

/** The caller's own account. */
export const myAccountQuery = queryOptions({
  queryKey: keys.myAccount,
  queryFn: ({ signal }) => dataOf(client.GET('/me/account', { signal })),
})

export const receiptQuery = (number: string) =>
  queryOptions({
    queryKey: keys.receipt(number),
    queryFn: ({ signal }) => dataOf(client.GET('/receipts/{number}', { params: { path: { number } }, signal })),
  })

const DEBTORS_PER_PAGE = 20
const LINES_PER_PAGE = 50

const cursorOf = ({ cursor }: { cursor: string | null }) => (cursor === null ? {} : { cursor })

/** Batch and order of the people with a balance. */
export type DebtorFilter = { batch?: string; sort?: string }

/** People with a balance; by default highest debt first. */
export const debtorsQuery = (filter: DebtorFilter) =>
  infiniteQueryOptions({
    queryKey: keys.debtors(filter),
    queryFn: ({ pageParam, signal }) =>
      dataOf(
        client.GET('/money/debtors', {
          params: { query: { ...filter, limit: DEBTORS_PER_PAGE, ...cursorOf(pageParam) } },
          signal,
        }),
      ),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: (last, _pages, start) => pageAfter(last, start),
    placeholderData: keepPreviousData,
    staleTime: 0,
  })

/** Reads all people with a balance, page by page. */
export async function everyDebtor(filter: DebtorFilter): Promise<Debtor[]> {
  const pages = await everyPage((cursor) =>
    dataOf(client.GET('/money/debtors', { params: { query: { ...filter, limit: 100, ...cursorOf({ cursor }) } } })),
  )
  return pages.flatMap(({ debtors }) => debtors)
}

/** Money taken today, this week and this month. */
export const takingsQuery = queryOptions({
  queryKey: keys.takings,
  queryFn: ({ signal }) => dataOf(client.GET('/money/takings', { signal })),
  staleTime: 0,
})

/** Period in days of the library; by default this month until today. */
export type Period = { from?: string; to?: string }

/** Filter of the lines of all accounts; all given values must match. */
export type LineFilter = Period & { kind?: LineKind; method?: Method }

/** Lines of all accounts in a period, newest first. */
export const linesQuery = (filter: LineFilter) =>
  infiniteQueryOptions({
    queryKey: keys.moneyLines(filter),
    queryFn: ({ pageParam, signal }) =>
      dataOf(
        client.GET('/money/lines', {
          params: { query: { ...filter, limit: LINES_PER_PAGE, ...cursorOf(pageParam) } },
          signal,
        }),
      ),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: (last, _pages, start) => pageAfter(last, start),
    placeholderData: keepPreviousData,
    staleTime: 0,
  })

/** Totals of a period. */
export const totalsQuery = (period: Period) =>
  queryOptions({
    queryKey: keys.totals(period),
    queryFn: ({ signal }) => dataOf(client.GET('/money/totals', { params: { query: period }, signal })),
    placeholderData: keepPreviousData,
    staleTime: 0,
  })

/** Returns the address of the CSV export of the lines. */
export const linesFile = (filter: LineFilter): string =>
  `/library/api/v1/money/lines.csv?${new URLSearchParams(filter).toString()}`

/** Records a print of a receipt; the response says how many times the receipt has been printed. */
export const countPrint = action({
  name: 'countPrint',
  send: (number: string, call) =>
    dataOf(client.POST('/receipts/{number}/prints', { params: { path: { number } }, ...call })),
  learn: (queries, receipt) => queries.setQueryData(keys.receipt(receipt.number), receipt),
  fault: 'The print could not be counted',
})

const keyed = (key: string) => ({ headers: { 'Idempotency-Key': key } })

export const takePayment = (uid: number, body: PaymentForm, key: string, signal: AbortSignal) =>
  dataOf(client.POST('/people/{id}/payments', { params: { path: { id: uid } }, body, signal, ...keyed(key) }))

/** Declares the copy of a loan lost. */
export const loseCopy = (loan: number, price: number, key: string, signal: AbortSignal) =>
  dataOf(client.POST('/loans/{id}/lost', { params: { path: { id: loan } }, body: { price }, signal, ...keyed(key) }))

export const waiveCharge = (charge: number, body: WaiverForm, key: string, signal: AbortSignal) =>
  dataOf(client.POST('/charges/{id}/waive', { params: { path: { id: charge } }, body, signal, ...keyed(key) }))

/** Charges a person for damage or another cause. */
export const chargePerson = (uid: number, body: ChargeForm, key: string, signal: AbortSignal) =>
  dataOf(client.POST('/people/{id}/charges', { params: { path: { id: uid } }, body, signal, ...keyed(key) }))

/** Pays credit out. */
export const refundCredit = (uid: number, body: RefundForm, key: string, signal: AbortSignal) =>
  dataOf(client.POST('/people/{id}/refunds', { params: { path: { id: uid } }, body, signal, ...keyed(key) }))

const postReversal = (id: number, reason: string, call: Partial<Call> & { signal?: AbortSignal }) =>
  dataOf(client.POST('/charges/{id}/reverse', { params: { path: { id } }, body: { reason }, ...call }))

/** Reverses the price of a lost copy that was found. */
export const reverseFoundPrice = action({
  name: 'reverseFoundPrice',
  send: ({ id, reason }: { id: number; reason: string }, call) => postReversal(id, reason, call),
  changes: () => [keys.people, keys.money, keys.changes],
  fault: 'The charge could not be taken back',
  expected: ['invalid'],
})

/** Reverses a charge. */
export const reverseCharge = (charge: number, reason: string, key: string, signal: AbortSignal) =>
  postReversal(charge, reason, { signal, ...keyed(key) })

/** Reverses the payment of a receipt. */
export const reversePayment = (receipt: string, reason: string, key: string, signal: AbortSignal) =>
  dataOf(
    client.POST('/receipts/{number}/reverse', {
      params: { path: { number: receipt } },
      body: { reason },
      signal,
      ...keyed(key),
    }),
  )
