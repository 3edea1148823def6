/** What one scan or one paste holds: a scanner types one barcode, a list comes with line breaks, tabs, commas or bars. */
export function barcodesIn(text: string): string[] {
  return text
    .split(/[\n\r\t,;|]+/)
    .map((barcode) => barcode.trim())
    .filter(Boolean)
}

/** Barcodes differ without regard to case (R-COPY-1). */
export const sameBarcode = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

/** The list with what was typed at its end, and which of that was there already. */
export function withScanned(list: readonly string[], text: string): { list: string[]; twice: string[] } {
  const next = [...list]
  const twice: string[] = []
  for (const barcode of barcodesIn(text)) {
    if (next.some((known) => sameBarcode(known, barcode))) twice.push(barcode)
    else next.push(barcode)
  }
  return { list: next, twice }
}

const PLACE = /^barcodes\[(\d+)\]$/

/** The server's errors about a list: those at a place of it by their index, and the rest in one sentence. */
export function barcodeErrors(fields: Readonly<Record<string, string>>): {
  at: ReadonlyMap<number, string>
  list: string | null
} {
  const at = new Map<number, string>()
  for (const [field, message] of Object.entries(fields)) {
    const place = PLACE.exec(field)?.[1]
    if (place !== undefined) at.set(Number(place), message)
  }
  return { at, list: fields['barcodes'] ?? null }
}
