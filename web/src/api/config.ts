import { queryOptions, useQuery } from '@tanstack/react-query'
import { setMoney } from '../lib/messages'
import { setLibraryName } from '../lib/title'
import { client, dataOf } from './client'
import { keys } from './keys'

/** What the library has set that every screen shows: its name, its money, its rules in short, its batches. */
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

/** What the library is called; empty while nobody has given it a name. */
export const useLibraryName = (): string => useQuery(configQuery).data?.name ?? ''
