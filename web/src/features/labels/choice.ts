import type { LabelChoice } from '../../api/types'

/** Ways to choose copies. */
export const WAYS = ['unprinted', 'range', 'since', 'title', 'batch'] as const
export type Way = (typeof WAYS)[number]

const NUMBER = /^[1-9]\d{0,15}$/
const DAY = /^\d{4}-\d{2}-\d{2}$/

/** Returns the way of choosing that the address names, else the one that fits its parameters. */
export function wayIn(params: URLSearchParams): Way {
  const asked = params.get('by')
  const known = WAYS.find((way) => way === asked)
  if (known) return known
  if (params.has('book')) return 'title'
  return params.has('batch') ? 'batch' : 'unprinted'
}

/** Returns the choice in the address, as sent to the server; null while it is incomplete. */
export function choiceIn(params: URLSearchParams): LabelChoice | null {
  const value = (name: string) => (params.get(name) ?? '').trim()
  switch (wayIn(params)) {
    case 'unprinted':
      return { unprinted: true }
    case 'range': {
      const [from, to] = [value('from'), value('to')]
      return from === '' && to === '' ? null : { ...(from !== '' && { from }), ...(to !== '' && { to }) }
    }
    case 'since':
      return DAY.test(value('since')) ? { since: value('since') } : null
    case 'title':
      return NUMBER.test(value('book')) ? { book: Number(value('book')) } : null
    case 'batch':
      return NUMBER.test(value('batch')) ? { batch: Number(value('batch')) } : null
  }
}
