import { queryOptions } from '@tanstack/react-query'
import { action, type Call } from './action'
import { client, dataOf } from './client'
import { keys } from './keys'

/** A file to be sent; its properties identify a retry. */
export type Upload = { name: string; size: number; lastModified: number; file: File }

export const uploadOf = (file: File): Upload => ({
  name: file.name,
  size: file.size,
  lastModified: file.lastModified,
  file,
})

/** The body of a call that sends a file as it is. */
export const fileBody = (file: File, { headers }: Call) => ({
  body: file as unknown as string,
  bodySerializer: (body: unknown) => body as BodyInit,
  headers: { ...headers, 'Content-Type': 'application/octet-stream' },
})

type BooksImport = Upload & { columns: string | undefined; withClashes: boolean }

const queryOf = ({ columns, withClashes, name }: BooksImport) => ({
  ...(columns !== undefined && { columns }),
  withClashes,
  name,
})

/** Reads the columns of a file of books. */
export const readBookColumns = action({
  name: 'readBookColumns',
  send: ({ file }: Upload, call) => dataOf(client.POST('/imports/books/columns', fileBody(file, call))),
})

/** Reads the columns of a file of people. */
export const readPeopleColumns = action({
  name: 'readPeopleColumns',
  send: ({ file }: Upload, call) => dataOf(client.POST('/imports/people/columns', fileBody(file, call))),
})

/** Previews an import of books; nothing is stored. */
export const checkBooks = action({
  name: 'checkBooks',
  send: (input: BooksImport, call) =>
    dataOf(client.POST('/imports/books/check', { params: { query: queryOf(input) }, ...fileBody(input.file, call) })),
})

/** Starts an import of books, which the server runs in the background. */
export const importBooks = action({
  name: 'importBooks',
  send: (input: BooksImport, call) =>
    dataOf(client.POST('/imports/books', { params: { query: queryOf(input) }, ...fileBody(input.file, call) })),
  changes: () => [keys.imports],
  fault: 'The books could not be imported',
})

export const undoImport = action({
  name: 'undoImport',
  send: (id: number, call) => dataOf(client.POST('/imports/books/{id}/undo', { params: { path: { id } }, ...call })),
  changes: () => [keys.imports],
  fault: 'The import could not be undone',
  expected: ['refused'],
})

/** The last imports of books. */
export const importsQuery = () =>
  queryOptions({
    queryKey: keys.imports,
    queryFn: async ({ signal }) => (await dataOf(client.GET('/imports/books', { signal }))).imports,
  })

const isWorking = (state: string | undefined) => state === 'running' || state === 'undoing'

/** Progress of an import, read every second while it writes. */
export const importQuery = (id: number) =>
  queryOptions({
    queryKey: keys.importOfBooks(id),
    queryFn: ({ signal }) => dataOf(client.GET('/imports/books/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => (isWorking(state.data?.state) ? 1000 : false),
  })

export const rejectedBooksPath = (id: number) => `/library/api/v1/imports/books/${String(id)}/rejected.csv`

/** Download of the catalogue as MARC 21. */
export const MARC_PATH = '/library/api/v1/books.mrc'
