import { belowBase } from '../../../lib/paths'

/** The part of the browser's navigation history that is read here; not every browser has it. */
type History = { currentEntry: { index: number } | null; entries: () => readonly { url: string | null }[] }

/** The home with the search it was left with, where the browser tells that it was the page before; else the home itself. */
export function homeAsLeft(home: string): string {
  const { navigation } = window as { navigation?: History }
  const before = navigation?.entries()[(navigation.currentEntry?.index ?? 0) - 1]?.url
  if (!before) return home
  const { pathname, search } = new URL(before)
  return belowBase(pathname) === home ? home + search : home
}
