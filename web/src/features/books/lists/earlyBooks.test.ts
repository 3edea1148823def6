import { expect, it } from 'vitest'
import { bookListQuery, BROWSED } from '../../../api/bookList'
import { API } from '../../../api/client'
import { queryClient } from '../../../api/queryClient'
import { readEarlyBooks } from './earlyBooks'

const every = bookListQuery({ q: '', field: 'any', ...BROWSED })

it('R-SHELL-3 the books that start.js has asked for are there before the home renders', async () => {
  const page = { books: [], total: 0, totalIsExact: true, similar: [], similarFirst: false, meant: null }
  window.early = { [`${API}/books?field=any&sort=popular&limit=60`]: Promise.resolve(Response.json(page)) }
  await readEarlyBooks()
  expect(queryClient.getQueryData(every.queryKey)?.pages).toHaveLength(1)
})

it('R-SHELL-3 the home waits for no books that are still on their way', async () => {
  queryClient.clear()
  window.early = { [`${API}/books?field=any&sort=popular&limit=60`]: new Promise(() => {}) }
  await readEarlyBooks()
  expect(queryClient.getQueryData(every.queryKey)).toBeUndefined()
})
