import { rules } from './bookValues'

const { minLength, maxLength } = rules.description
const NEAR_THE_END = 500

const figure = (n: number) => n.toLocaleString('en')

/** "143 of 200 characters" until there are enough, and again when there are nearly too many. */
export function counterText(length: number): string {
  if (length < minLength) return `${figure(length)} of ${figure(minLength)} characters`
  if (length > maxLength - NEAR_THE_END) return `${figure(length)} of at most ${figure(maxLength)} characters`
  return `${figure(length)} characters`
}
