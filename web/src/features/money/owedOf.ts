import type { Account } from '../../api/types'

/** Returns the sum of the unpaid charges. */
export const owedOf = ({ charges }: Account): number =>
  charges.reduce((sum, charge) => sum + charge.open * 100, 0) / 100
