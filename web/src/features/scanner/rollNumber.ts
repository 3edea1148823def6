import type { ScanResult } from './acceptance'

/** The roll number that a code carries: the start and stop letters of Codabar frame it and are no part of it. */
export function rollNumberOf({ text, format }: ScanResult): string {
  const bare = format === 'Codabar' ? text.replace(/^[A-D](.*)[A-D]$/i, '$1') : text
  return bare.trim().toLowerCase()
}
