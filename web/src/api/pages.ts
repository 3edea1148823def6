/** Where a page of a list begins: the server's cursor, and how many pages lie before it. */
export type PageStart = { cursor: string | null; index: number }

export const FIRST_PAGE: PageStart = { cursor: null, index: 0 }

/** Pages kept in memory at once; those scrolled far away are dropped and fetched again on the way back. */
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

/** How many pages lie before the first one that is kept in memory. */
export function pagesBefore(data: { pageParams: readonly unknown[] } | undefined): number {
  const start = data?.pageParams[0] as PageStart | undefined
  return start?.index ?? 0
}
