import { action } from './action'
import { client, dataOf } from './client'
import { fileBody, type Upload } from './imports'
import { keys } from './keys'

/** Length from which a file is sent gzipped, bytes; below, the time saved on the way is lost on packing. */
const WORTH_GZIP = 2 * 1024 * 1024
const packed = new WeakMap<File, Promise<Blob>>()

/** Returns a long file gzipped, packed once for all steps of its import, unless it is compressed already. */
async function gzipped(file: File): Promise<Blob> {
  if (file.size < WORTH_GZIP) return file
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer())
  const isCompressed = (first === 0x1f && second === 0x8b) || (first === 0x50 && second === 0x4b)
  if (isCompressed) return file
  const packing = packed.get(file) ?? new Response(file.stream().pipeThrough(new CompressionStream('gzip'))).blob()
  packed.set(file, packing)
  return packing
}

type BooksImport = Upload & { columns: string | undefined; withClashes: boolean; withoutFaulty: boolean }

const queryOf = ({ columns, withClashes, withoutFaulty, name }: BooksImport) => ({
  ...(columns !== undefined && { columns }),
  withClashes,
  withoutFaulty,
  name,
})

/** Reads the columns of a file of books. */
export const readBookColumns = action({
  name: 'readBookColumns',
  send: async ({ file }: Upload, call) =>
    dataOf(client.POST('/imports/books/columns', fileBody(await gzipped(file), call))),
})

/** Previews an import of books; nothing is stored. */
export const checkBooks = action({
  name: 'checkBooks',
  send: async (input: BooksImport, call) => {
    const body = fileBody(await gzipped(input.file), call)
    return dataOf(client.POST('/imports/books/check', { params: { query: queryOf(input) }, ...body }))
  },
})

/** Starts an import of books, which the server runs in the background. */
export const importBooks = action({
  name: 'importBooks',
  send: async (input: BooksImport, call) => {
    const body = fileBody(await gzipped(input.file), call)
    return dataOf(client.POST('/imports/books', { params: { query: queryOf(input) }, ...body }))
  },
  changes: () => [keys.imports],
  fault: 'The books could not be imported',
})
