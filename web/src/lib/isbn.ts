/** Removes blanks and hyphens; an ISBN of ten digits may end with X. */
const digitsOf = (text: string): string => text.replaceAll(/[\s-]/g, '').toUpperCase()

const sum = (digits: string, weight: (index: number) => number): number =>
  Array.from(digits).reduce((total, digit, index) => total + (digit === 'X' ? 10 : Number(digit)) * weight(index), 0)

const alternating = (index: number): number => (index % 2 === 0 ? 1 : 3)

/** Returns the ISBN with 13 digits, or null if the text is not an ISBN. */
export function isbn13(text: string): string | null {
  const digits = digitsOf(text)
  if (/^97[89]\d{10}$/.test(digits)) return sum(digits, alternating) % 10 === 0 ? digits : null
  if (!/^\d{9}[\dX]$/.test(digits) || sum(digits, (index) => 10 - index) % 11 !== 0) return null
  const twelve = `978${digits.slice(0, 9)}`
  return twelve + String((10 - (sum(twelve, alternating) % 10)) % 10)
}

/** Counts the digits of a typed ISBN. */
export const isbnLength = (text: string): number => digitsOf(text).replaceAll(/[^\dX]/g, '').length
