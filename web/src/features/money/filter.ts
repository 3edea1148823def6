import type { LineFilter } from '../../api/money'
import { daysIn } from '../../lib/addressFilter'
import { KINDS, METHODS } from './lineText'

/** Reads the filter from the address; invalid days, kinds and methods are left out. */
export function filterIn(params: URLSearchParams): LineFilter {
  const kind = KINDS.find((one) => one === params.get('kind'))
  const method = METHODS.find((one) => one === params.get('method'))
  return {
    ...daysIn(params),
    ...(kind && { kind }),
    ...(method && { method }),
  }
}
