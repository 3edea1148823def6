import type { ScanResult } from './acceptance'

/** Returns a code's text without the start and stop letters of Codabar. */
export function codeOf({ text, format }: ScanResult): string {
  const bare = format === 'Codabar' ? text.replace(/^[A-D](.*)[A-D]$/i, '$1') : text
  return bare.trim()
}

/** Returns the roll number in a code, in lower case. */
export const rollNumberOf = (read: ScanResult): string => codeOf(read).toLowerCase()
