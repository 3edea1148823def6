/** Converts digits of any script, as Devanagari keyboards type them, to 0–9. */
function withPlainDigits(text: string): string {
  const isDigit = (code: number) => /\p{Nd}/u.test(String.fromCodePoint(code))
  return text.replace(/\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0
    let value = 0
    while (value < 9 && isDigit(code - value - 1)) value++
    return String(value)
  })
}

const PLAIN = /^[-−]?\d{1,15}(?:\.\d{0,2})?$/
/** Grouped digits, as in 1,250 and 1,00,000. */
const GROUPED = /^[-−]?\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d{0,2})?$/

/** Parses a typed amount; null if invalid. The server checks its limits. */
export function amountOf(typed: string): number | null {
  const text = withPlainDigits(typed.trim())
  if (!PLAIN.test(text) && !GROUPED.test(text)) return null
  return Number(text.replaceAll(',', '').replace('−', '-'))
}

/** Formats an amount for an input: 25, 25.50. */
export const typedAmount = (amount: number): string => amount.toFixed(Number.isInteger(amount) ? 0 : 2)
