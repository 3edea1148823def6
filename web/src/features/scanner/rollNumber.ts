import type { ScanResult } from './acceptance'

/** What a code says: the start and stop letters of Codabar frame it and are no part of it. */
export function codeOf({ text, format }: ScanResult): string {
  const bare = format === 'Codabar' ? text.replace(/^[A-D](.*)[A-D]$/i, '$1') : text
  return bare.trim()
}

/** The roll number that a code carries. */
export const rollNumberOf = (read: ScanResult): string => codeOf(read).toLowerCase()
