import { bookListQuery, BROWSED } from '../../../api/bookList'
import { isEarly } from '../../../api/client'
import { queryClient } from '../../../api/queryClient'

/** Longest wait for a response to be read that has arrived before the app, milliseconds. */
const READ_MS = 50

/**
 * Reads the first books if public/start.js has asked for them, so that the home's first render has them: outlines in
 * between would hide books that a reader sees already.
 */
export async function readEarlyBooks(): Promise<void> {
  if (!isEarly('/books?')) return
  const books = queryClient.prefetchInfiniteQuery(bookListQuery({ q: '', field: 'any', ...BROWSED }))
  await Promise.race([books, new Promise((resolve) => setTimeout(resolve, READ_MS))])
}
