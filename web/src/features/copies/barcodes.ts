/** Splits a scan or a paste into barcodes; a list is separated by line breaks, tabs, commas, semicolons or bars. */
export function barcodesIn(text: string): string[] {
  return text
    .split(/[\n\r\t,;|]+/)
    .map((barcode) => barcode.trim())
    .filter(Boolean)
}

/** Compares barcodes without regard to case (R-COPY-1). */
export const sameBarcode = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

/** Appends the barcodes in a text to the list; `twice` has those that the list contained already. */
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

/** Splits the server's errors of a list: `at` by index, `list` for the list as a whole. */
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
