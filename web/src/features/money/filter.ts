import type { LineFilter } from '../../api/money'
import { KINDS, METHODS } from './lineText'

const DAY = /^\d{4}-\d{2}-\d{2}$/

/** The filter that the address names; what is no day, kind or method is left out. */
export function filterIn(params: URLSearchParams): LineFilter {
  const from = params.get('from') ?? ''
  const to = params.get('to') ?? ''
  const kind = KINDS.find((one) => one === params.get('kind'))
  const method = METHODS.find((one) => one === params.get('method'))
  return {
    ...(DAY.test(from) && { from }),
    ...(DAY.test(to) && { to }),
    ...(kind && { kind }),
    ...(method && { method }),
  }
}

/** Whether the last day is before the first. */
export const isBackwards = ({ from, to }: LineFilter): boolean => from !== undefined && to !== undefined && to < from
