/** Payment request: what a payment app shows before the person pays. */
export type UpiRequest = {
  /** Address of the library, such as `school@bank`. */
  address: string
  library: string
  /** Rupees. */
  amount: number
  /** Names the payer on the library's bank statement. */
  note: string
}

/** Maximum length of a note; apps cut longer ones (NPCI, UPI Linking Specification, `tn`). */
const NOTE = 50

/** Returns the link of a request, for payment apps and as a QR code (NPCI, UPI Linking Specification). */
export function upiLink({ address, library, amount, note }: UpiRequest): string {
  const parts = {
    // The library may have no name yet, and apps refuse a blank one.
    pn: library || address,
    am: amount.toFixed(2),
    cu: 'INR',
    tn: Array.from(note).slice(0, NOTE).join(''),
  }
  const rest = Object.entries(parts).map(([name, value]) => `&${name}=${encodeURIComponent(value)}`)
  // The specification does not escape `@`.
  return `upi://pay?pa=${address}${rest.join('')}`
}
