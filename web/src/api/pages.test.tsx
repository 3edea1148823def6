import { QueryClient, QueryClientProvider, useInfiniteQuery } from '@tanstack/react-query'
import { act, renderHook, waitFor } from '@testing-library/react'
import type { ReactNode } from 'react'
import { describe, expect, it } from 'vitest'
import { book, bookPage } from '../testing/samples'
import { fakeServer } from '../testing/server'
import { BOOKS_PER_PAGE, bookListQuery } from './bookList'
import { EVERY_BOOK } from './books'
import { MAX_PAGES, pageBefore, pagesBefore } from './pages'

/** Imitates the server of a catalogue with this number of pages, each with its own cursor. */
function catalogue(pages: number) {
  return fakeServer({
    'GET /books': ({ url }) => {
      const at = Number(new URL(url).searchParams.get('cursor') ?? 0)
      const books = Array.from({ length: BOOKS_PER_PAGE }, (_, place) => book(at * BOOKS_PER_PAGE + place + 1))
      const { body } = bookPage(books, { total: 1000, totalIsExact: false })
      return { body: { ...body, next: at + 1 < pages ? `${at + 1}` : null, previous: at > 0 ? `${at - 1}` : null } }
    },
  })
}

const cursors = (requests: readonly Request[]) => requests.map(({ url }) => new URL(url).searchParams.get('cursor'))

describe('W29: a long list', () => {
  async function list(pages: number) {
    const requests = catalogue(pages)
    const queries = new QueryClient()
    // Spread, so that the hook re-renders on every change.
    const { result } = renderHook(
      () => ({ ...useInfiniteQuery(bookListQuery({ q: '', field: 'any', ...EVERY_BOOK })) }),
      {
        wrapper: ({ children }: { children: ReactNode }) => (
          <QueryClientProvider client={queries}>{children}</QueryClientProvider>
        ),
      },
    )
    await waitFor(() => expect(result.current.isSuccess).toBe(true))
    return {
      requests,
      forward: () => act(async () => void (await result.current.fetchNextPage())),
      back: () => act(async () => void (await result.current.fetchPreviousPage())),
      refresh: () => act(async () => void (await result.current.refetch())),
      /** Waits for these first and last books and number of books before them: the hook renders after the request. */
      shows: (expected: readonly [number, number, number]) =>
        waitFor(() => {
          const { data } = result.current
          const books = data?.pages.flatMap((page) => page.books) ?? []
          expect([books[0]?.id, books.at(-1)?.id, pagesBefore(data) * BOOKS_PER_PAGE]).toEqual(expected)
        }),
      ends: () => [result.current.hasPreviousPage, result.current.hasNextPage],
    }
  }

  it('keeps ten pages: the first is let go when the eleventh comes, and comes again on the way back', async () => {
    const { forward, back, shows, ends, requests } = await list(MAX_PAGES + 2)
    for (let page = 1; page < MAX_PAGES; page += 1) await forward()
    await shows([1, 600, 0])
    expect(ends()).toEqual([false, true])

    await forward()
    await shows([61, 660, 60])
    await forward()
    await shows([121, 720, 120])
    expect(ends()).toEqual([true, false])

    requests.length = 0
    await back()
    await shows([61, 660, 60])
    await back()
    await shows([1, 600, 0])
    expect(ends()).toEqual([false, true])
    // The page before the second one is the first of the list, which has no cursor.
    expect(cursors(requests)).toEqual(['1', null])
  })

  it('that changed is read again from the first page that is kept, not from its beginning', async () => {
    const { forward, shows, refresh, requests } = await list(MAX_PAGES + 2)
    for (let page = 1; page < MAX_PAGES + 2; page += 1) await forward()
    requests.length = 0
    await refresh()
    await shows([121, 720, 120])
    expect(cursors(requests)).toEqual(['2', '3', '4', '5', '6', '7', '8', '9', '10', '11'])
  })

  it('has no page before one whose answer names none', () => {
    expect(pageBefore({ next: null, previous: null }, { cursor: '5', index: 5 })).toBeUndefined()
  })
})
