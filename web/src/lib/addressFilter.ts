import { useState } from 'react'
import { useLocation, useSearchParams } from 'react-router'

const DAY = /^\d{4}-\d{2}-\d{2}$/

/** The first and the last day that the address names; what is no day is left out. */
export function daysIn(params: URLSearchParams): { from?: string; to?: string } {
  const from = params.get('from') ?? ''
  const to = params.get('to') ?? ''
  return { ...(DAY.test(from) && { from }), ...(DAY.test(to) && { to }) }
}

/** Whether the last day is before the first. */
export const isBackwards = ({ from, to }: { from?: string; to?: string }): boolean =>
  from !== undefined && to !== undefined && to < from

type Changes<Filter> = Partial<Record<keyof Filter & string, string>>

function withChanges(params: URLSearchParams, changes: Record<string, string>): URLSearchParams {
  const after = new URLSearchParams(params)
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') after.delete(name)
    else after.set(name, value)
  }
  return after
}

const NOTHING: Record<string, string> = {}

/** A filter that stands in the page's address, and what sets some of its values; a blank one takes it out. */
export function useAddressFilter<Filter>(
  filterIn: (params: URLSearchParams) => Filter,
): [Filter, (changes: Changes<Filter>) => void] {
  const [params, setParams] = useSearchParams()
  const { key } = useLocation()
  // The way to an address takes a moment. A box that is ticked shows it at once, and a second change does not undo the first.
  const [underWay, setUnderWay] = useState({ since: key, changes: NOTHING })
  const before = underWay.since === key ? underWay.changes : NOTHING
  const set = (changes: Changes<Filter>) => {
    const all = { ...before, ...changes }
    setUnderWay({ since: key, changes: all })
    setParams((shown) => withChanges(shown, all), { replace: true })
  }
  return [filterIn(withChanges(params, before)), set]
}
