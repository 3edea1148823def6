import { useSearchParams } from 'react-router'

/** A filter that stands in the page's address, and what sets one of its values; a blank one takes it out. */
export function useAddressFilter<Filter>(
  filterIn: (params: URLSearchParams) => Filter,
): [Filter, (name: keyof Filter & string, value: string) => void] {
  const [params, setParams] = useSearchParams()
  const set = (name: keyof Filter & string, value: string) =>
    setParams(
      (before) => {
        const after = new URLSearchParams(before)
        if (value === '') after.delete(name)
        else after.set(name, value)
        return after
      },
      { replace: true },
    )
  return [filterIn(params), set]
}
