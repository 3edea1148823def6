import type { LineFilter } from '../../api/money'
import { daysIn } from '../../lib/addressFilter'
import { KINDS, METHODS } from './lineText'

/** The filter that the address names; what is no day, kind or method is left out. */
export function filterIn(params: URLSearchParams): LineFilter {
  const kind = KINDS.find((one) => one === params.get('kind'))
  const method = METHODS.find((one) => one === params.get('method'))
  return {
    ...daysIn(params),
    ...(kind && { kind }),
    ...(method && { method }),
  }
}
