import { useState } from 'react'
import { useLocation, useSearchParams } from 'react-router'

const DAY = /^\d{4}-\d{2}-\d{2}$/

/** Reads the first and the last day from the address; invalid days are left out. */
export function daysIn(params: URLSearchParams): { from?: string; to?: string } {
  const from = params.get('from') ?? ''
  const to = params.get('to') ?? ''
  return { ...(DAY.test(from) && { from }), ...(DAY.test(to) && { to }) }
}

/** True if the last day is before the first. */
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

/** Reads a filter from the page's address and returns setters for its values; a blank value is removed. */
export function useAddressFilter<Filter>(
  filterIn: (params: URLSearchParams) => Filter,
): [Filter, (changes: Changes<Filter>) => void] {
  const [params, setParams] = useSearchParams()
  const { key } = useLocation()
  // The router applies a change of the address only after a moment. Until then this hook returns the new
  // values, and a second change keeps the first.
  const [underWay, setUnderWay] = useState({ since: key, changes: NOTHING })
  const before = underWay.since === key ? underWay.changes : NOTHING
  const set = (changes: Changes<Filter>) => {
    const all = { ...before, ...changes }
    setUnderWay({ since: key, changes: all })
    setParams((shown) => withChanges(shown, all), { replace: true })
  }
  return [filterIn(withChanges(params, before)), set]
}
