/** Start of a page: the server's cursor, and the number of pages before it. */
export type PageStart = { cursor: string | null; index: number }

export const FIRST_PAGE: PageStart = { cursor: null, index: 0 }

/** Maximum number of pages in memory; distant ones are dropped and fetched again on the way back. */
export const MAX_PAGES = 10

type Page = { next: string | null; previous?: string | null }

export function pageAfter(last: Page, start: PageStart): PageStart | undefined {
  return last.next === null ? undefined : { cursor: last.next, index: start.index + 1 }
}

export function pageBefore(first: Page, start: PageStart): PageStart | undefined {
  if (start.index === 0) return undefined
  if (start.index === 1) return FIRST_PAGE
  return first.previous ? { cursor: first.previous, index: start.index - 1 } : undefined
}

/** Reads all pages of a list, one after the other. */
export async function everyPage<P extends Page>(read: (cursor: string | null) => Promise<P>): Promise<P[]> {
  const pages: P[] = []
  let cursor: string | null = null
  do {
    // oxlint-disable-next-line no-await-in-loop -- each page names the next
    const page: P = await read(cursor)
    pages.push(page)
    cursor = page.next
  } while (cursor !== null)
  return pages
}

/** Returns the number of pages before the first one in memory. */
export function pagesBefore(data: { pageParams: readonly unknown[] } | undefined): number {
  const start = data?.pageParams[0] as PageStart | undefined
  return start?.index ?? 0
}
