import { t } from '../../../lib/messages'

/** Books in a row on a wide screen: six on the homes, three in the other lists. */
export type Wide = 3 | 6

/** `tall`: cover above the words. `wide`: cover beside them. `slim`: a search result on a phone, three lines high. */
export type Layout = 'tall' | 'wide' | 'slim'

/** Grid width in pixels below which the device counts as a phone. */
const PHONE = 720

export const isPhone = (width: number): boolean => width < PHONE

/** Returns the layout; search results on a phone are slim rows, so that some are visible above the keyboard. */
export function layoutFor(wide: Wide, width: number, searching: boolean): Layout {
  if (wide === 3) return 'wide'
  return searching && isPhone(width) ? 'slim' : 'tall'
}

/** Returns the number of columns for the grid's width. */
export function columnsFor(wide: Wide, width: number, layout: Layout): number {
  if (layout === 'slim') return 1
  if (wide === 3) return width >= 960 ? 3 : width >= 620 ? 2 : 1
  if (width >= 1080) return 6
  if (width >= 880) return 5
  if (width >= 660) return 4
  if (width >= 460) return 3
  return width >= 250 ? 2 : 1
}

/**
 * Estimates the height of a row at the usual text size. Rows are measured once rendered; until then a good estimate
 * keeps the scroll position of a reader who returns to a list.
 */
export function rowHeight(
  layout: Layout,
  columnWidth: number,
  { withActions, isShelved }: { withActions: boolean; isShelved: boolean },
): number {
  if (layout === 'slim') return 72 + (withActions ? ACTIONS : 0)
  if (layout === 'wide') return 126
  return columnWidth * 1.5 + WORDS + (withActions ? ACTIONS : 0) + (isShelved ? SHELF : 0)
}

/** Height of title, author, genre and stars below a cover; and of the buttons below. */
const WORDS = 134
const ACTIONS = 42
/** Height of the two lines with copies and place, and of the gap above. */
const SHELF = 46

type Page = { total: number; totalIsExact: boolean }

/** Describes the number of books: "12 books match", "1,000+ books match", or without a search "300 books". */
export function countText({ total, totalIsExact }: Page, q: string): string {
  if (total === 0) return ''
  if (q) return t(totalIsExact ? 'books.list.found' : 'books.list.foundMore', { total })
  return t(totalIsExact ? 'books.list.count' : 'books.list.countMore', { total })
}

export type Move = 'left' | 'right' | 'up' | 'down' | 'first' | 'last'

export const MOVES: Readonly<Record<string, Move>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
  Home: 'first',
  End: 'last',
}

/** Mirrors a move for right-to-left layouts. */
export const mirrored = (move: Move): Move => (move === 'left' ? 'right' : move === 'right' ? 'left' : move)

/** Returns the index of the book that a key leads to; null at the edge of the list. */
export function indexAfterMove(index: number, move: Move, columns: number, count: number): number | null {
  const target = {
    left: index - 1,
    right: index + 1,
    up: index - columns,
    down: Math.min(index + columns, Math.max(index, count - 1)),
    first: 0,
    last: count - 1,
  }[move]
  return target < 0 || target >= count || target === index ? null : target
}
