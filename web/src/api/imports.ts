import { queryOptions } from '@tanstack/react-query'
import { action, type Call } from './action'
import { client, dataOf, reach } from './client'
import { keys } from './keys'

/** A file to be sent; its properties identify a retry. */
export type Upload = { name: string; size: number; lastModified: number; file: File }

export const uploadOf = (file: File): Upload => ({
  name: file.name,
  size: file.size,
  lastModified: file.lastModified,
  file,
})

/** Time limit of a call that sends a file, as on the server. */
const UPLOAD_TIMEOUT_MS = 300_000

/** Returns the options of a call that sends a file unchanged. */
export const fileBody = (file: Blob, { headers }: Call) => ({
  body: file as unknown as string,
  bodySerializer: (body: unknown) => body as BodyInit,
  headers: { ...headers, 'Content-Type': 'application/octet-stream' },
  fetch: (request: Request) => reach(request, UPLOAD_TIMEOUT_MS),
})

/** Reads the columns of a file of people. */
export const readPeopleColumns = action({
  name: 'readPeopleColumns',
  send: ({ file }: Upload, call) => dataOf(client.POST('/imports/people/columns', fileBody(file, call))),
})

/** Kinds of import in which each row makes one entry. */
export type EntryKind = 'loans' | 'charges'
/** Kind of record in the rows of a file. */
export type ImportKind = 'books' | 'people' | 'photos' | EntryKind

type EntriesImport = Upload & { kind: EntryKind; columns: string | undefined }

const entriesQueryOf = ({ columns, name }: EntriesImport) => ({ ...(columns !== undefined && { columns }), name })

/** Reads the columns of a list of loans or charges. */
export const readEntryColumns = action({
  name: 'readEntryColumns',
  send: ({ kind, file }: Upload & { kind: EntryKind }, call) =>
    dataOf(client.POST(`/imports/${kind}/columns` as const, fileBody(file, call))),
})

/** Previews an import of loans or charges; nothing is stored. */
export const checkEntries = action({
  name: 'checkEntries',
  send: (input: EntriesImport, call) =>
    dataOf(
      client.POST(`/imports/${input.kind}/check` as const, {
        params: { query: entriesQueryOf(input) },
        ...fileBody(input.file, call),
      }),
    ),
})

/** Starts an import of loans or charges, which the server runs in the background. */
export const importEntries = action({
  name: 'importEntries',
  send: (input: EntriesImport, call) =>
    dataOf(
      client.POST(`/imports/${input.kind}` as const, {
        params: { query: entriesQueryOf(input) },
        ...fileBody(input.file, call),
      }),
    ),
  changes: () => [keys.imports],
  fault: 'The list could not be imported',
})

export const undoImport = action({
  name: 'undoImport',
  send: ({ kind, id }: { kind: ImportKind; id: number }, call) =>
    dataOf(client.POST(`/imports/${kind}/{id}/undo` as const, { params: { path: { id } }, ...call })),
  changes: () => [keys.imports],
  fault: 'The import could not be undone',
  expected: ['refused', 'own-account'],
})

/** The last imports of a kind. */
export const importsQuery = (kind: ImportKind) =>
  queryOptions({
    queryKey: [...keys.imports, kind],
    queryFn: async ({ signal }) => (await dataOf(client.GET(`/imports/${kind}` as const, { signal }))).imports,
  })

const isWorking = (state: string | undefined) => state === 'running' || state === 'undoing'

/** Progress of an import, polled every second while the import or its undo runs. */
export const importQuery = (kind: ImportKind, id: number) =>
  queryOptions({
    queryKey: [...keys.imports, kind, id],
    queryFn: ({ signal }) => dataOf(client.GET(`/imports/${kind}/{id}` as const, { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => (isWorking(state.data?.state) ? 1000 : false),
  })

export const rejectedPath = (kind: ImportKind, id: number) =>
  `/library/api/v1/imports/${kind}/${String(id)}/rejected.csv`

/** Download of the catalogue as MARC 21. */
export const MARC_PATH = '/library/api/v1/books.mrc'
