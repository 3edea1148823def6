import { queryOptions } from '@tanstack/react-query'
import { action } from './action'
import { client, dataOf } from './client'
import { keys } from './keys'

/** Stored backups, polled while one is made or compared with its manifest. */
export const backupsQuery = queryOptions({
  queryKey: keys.backups,
  queryFn: ({ signal }) => dataOf(client.GET('/backups', { signal })),
  staleTime: 0,
  refetchInterval: ({ state: { data } }) =>
    data?.running || data?.backups.some(({ state }) => state === 'unchecked') ? 1500 : false,
})

/** Starts a backup, which the server makes in the background. */
export const makeBackup = action({
  name: 'makeBackup',
  send: (_nothing: null, call) => dataOf(client.POST('/backups', call)),
  changes: () => [keys.backups, keys.overview],
  fault: 'The backup could not be started',
  expected: ['backups-off'],
})

/** Returns the address of a backup's file. */
export const backupFile = (name: string): string => `/library/api/v1/backups/${encodeURIComponent(name)}`
