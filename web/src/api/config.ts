import { queryOptions, useQuery } from '@tanstack/react-query'
import { setMoney } from '../lib/messages'
import { setLibraryName } from '../lib/title'
import { client, dataOf } from './client'
import { keys } from './keys'

/** Settings that every screen shows: name, currency, rules in short, batches. */
export const configQuery = queryOptions({
  queryKey: keys.config,
  queryFn: async ({ signal }) => {
    const config = await dataOf(client.GET('/config', { signal }))
    setMoney({ code: config.currencyCode, sign: config.currency })
    setLibraryName(config.name)
    return config
  },
  staleTime: 60_000,
})

/** Returns the library's name; empty if none is configured. */
export const useLibraryName = (): string => useQuery(configQuery).data?.name ?? ''

/** Name of the library on printed sheets; that of the program before the library has one. */
export const usePrintedName = (): string => useLibraryName() || 'My Library'
