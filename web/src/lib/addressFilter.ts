import { useEffect, useRef } from 'react'
import { useSearchParams } from 'react-router'

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

function put(params: URLSearchParams, name: string, value: string): void {
  if (value === '') params.delete(name)
  else params.set(name, value)
}

/** A filter that stands in the page's address, and what sets one of its values; a blank one takes it out. */
export function useAddressFilter<Filter>(
  filterIn: (params: URLSearchParams) => Filter,
): [Filter, (name: keyof Filter & string, value: string) => void] {
  const [params, setParams] = useSearchParams()
  // The way to an address takes a moment, and the router builds a second change on what is shown, without the first.
  const underWay = useRef(new Map<string, string>())
  useEffect(() => {
    for (const [name, value] of underWay.current) {
      if ((params.get(name) ?? '') === value) underWay.current.delete(name)
    }
  }, [params])
  const set = (name: keyof Filter & string, value: string) => {
    underWay.current.set(name, value)
    setParams(
      (shown) => {
        const after = new URLSearchParams(shown)
        for (const [changed, to] of underWay.current) put(after, changed, to)
        return after
      },
      { replace: true },
    )
  }
  return [filterIn(params), set]
}
