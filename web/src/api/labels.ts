import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { action } from './action'
import { client, dataOf } from './client'
import { keys } from './keys'
import { FIRST_PAGE, pageAfter } from './pages'
import type { LabelBatchForm, LabelChoice, SheetForm } from './types'

/** Labels of chosen copies. */
export const labelsQuery = (choice: LabelChoice) =>
  queryOptions({
    queryKey: keys.labelList(choice),
    queryFn: ({ signal }) => dataOf(client.GET('/labels', { params: { query: choice }, signal })),
    placeholderData: keepPreviousData,
    staleTime: 0,
  })

/** Returns the address of the CSV export. */
export const labelsFile = (choice: LabelChoice): string =>
  `/library/api/v1/labels.csv?${new URLSearchParams(Object.entries(choice).map(([name, value]) => [name, String(value)])).toString()}`

/** Printed batches, newest first. */
export const labelBatchesQuery = infiniteQueryOptions({
  queryKey: keys.labelBatches,
  queryFn: ({ pageParam: { cursor }, signal }) =>
    dataOf(client.GET('/label-batches', { params: { query: cursor === null ? {} : { cursor } }, signal })),
  initialPageParam: FIRST_PAGE,
  getNextPageParam: (last, _pages, start) => pageAfter(last, start),
  staleTime: 0,
})

export const rememberBatch = action({
  name: 'rememberBatch',
  send: (form: LabelBatchForm, call) => dataOf(client.POST('/label-batches', { body: form, ...call })),
  changes: () => [keys.labels, keys.overview],
  fault: 'The printed batch could not be remembered',
})

/** The library's own sheets. */
export const labelSheetsQuery = queryOptions({
  queryKey: keys.labelSheets,
  queryFn: async ({ signal }) => (await dataOf(client.GET('/label-sheets', { signal }))).sheets,
})

export const saveSheet = action({
  name: 'saveSheet',
  send: (form: SheetForm, call) => dataOf(client.POST('/label-sheets', { body: form, ...call })),
  changes: () => [keys.labelSheets],
  fault: 'The sheet could not be saved',
  expected: ['invalid'],
})

export const deleteSheet = action({
  name: 'deleteSheet',
  send: (id: number, call) => dataOf(client.DELETE('/label-sheets/{id}', { params: { path: { id } }, ...call })),
  changes: () => [keys.labelSheets],
  fault: 'The sheet could not be deleted',
})
