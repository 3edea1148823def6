import { belowBase } from '../../../lib/paths'

/** Part of the Navigation API; not every browser has it. */
type History = { currentEntry: { index: number } | null; entries: () => readonly { url: string | null }[] }

/** Returns the home with its last search if the browser reports it as the previous page; otherwise null. */
export function homeAsLeft(home: string): string | null {
  const { navigation } = window as { navigation?: History }
  const before = navigation?.entries()[(navigation.currentEntry?.index ?? 0) - 1]?.url
  if (!before) return null
  const { pathname, search } = new URL(before)
  return belowBase(pathname) === home ? home + search : null
}
