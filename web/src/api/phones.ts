import { queryOptions } from '@tanstack/react-query'
import { action } from './action'
import { client, dataOf } from './client'
import { listen } from './events'
import { keys } from './keys'
import type { OpenForm, PhoneAnswer, PhoneScan, PhoneScanForm } from './types'

/** The librarian's phones, including those of other desks. */
export const phonesQuery = queryOptions({
  queryKey: keys.phones,
  queryFn: async ({ signal }) => (await dataOf(client.GET('/desk/phones', { signal }))).phones,
})

/** Creates a code for a phone to open; replaces an unopened one. */
export const pairPhone = action({
  name: 'pairPhone',
  send: (desk: string) => dataOf(client.POST('/desk/phones', { body: { desk } })),
  changes: () => [keys.phones],
  fault: 'The phone was not paired',
  expected: ['too-many-phones'],
})

export const unpairPhone = action({
  name: 'unpairPhone',
  send: (id: number, call) => dataOf(client.DELETE('/desk/phones/{id}', { params: { path: { id } }, ...call })),
  changes: () => [keys.phones],
  fault: 'The phone was not disconnected',
  expected: ['not-found'],
})

/** Reason why a stream closed: another page or phone took over, or the pairing ended. */
export type Closed = 'elsewhere' | 'ended'

type Subscription<T> = {
  onNews: (news: T) => void
  /** Called when the connection is established or lost. */
  onConnected: (isConnected: boolean) => void
  onClosed: (why: Closed) => void
}

/** Receives the scans of this desk's phones; `onPhones` is called when the list of phones changes. */
export function listenToScans(
  desk: string,
  { onNews, onConnected, onClosed }: Subscription<PhoneScan>,
  onPhones: () => void,
) {
  const stop = listen(`/desk/phone-scans?desk=${encodeURIComponent(desk)}`, {
    onEvent: ({ event, data }) => {
      if (event === 'scan') onNews(JSON.parse(data) as PhoneScan)
      else if (event === 'phones') onPhones()
      else if (event === 'elsewhere' || event === 'ended') close(event)
    },
    onConnected,
    onRefused: () => close('ended'),
  })
  function close(why: Closed) {
    stop()
    onClosed(why)
  }
  return stop
}

/** Pairs this phone: sends the desk's code and the phone's own random token. A retry with this token is a no-op. */
export const openPhone = (body: OpenForm) => dataOf(client.POST('/phone/open', { body }))

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })

/** Sends a code read by the phone with this token; a retry with the same key has no further effect. */
export const sendScan = (token: string, body: PhoneScanForm, signal: AbortSignal) =>
  dataOf(client.POST('/phone/scans', { body, headers: bearer(token), signal }))

/** Receives the desk's answers for the phone with this token. */
export function listenToAnswers(token: string, { onNews, onConnected, onClosed }: Subscription<PhoneAnswer>) {
  const stop = listen('/phone/answers', {
    headers: bearer(token),
    onEvent: ({ event, data }) => {
      if (event === 'answer') onNews(JSON.parse(data) as PhoneAnswer)
      else if (event === 'elsewhere' || event === 'ended') close(event)
    },
    onConnected,
    onRefused: () => close('ended'),
  })
  function close(why: Closed) {
    stop()
    onClosed(why)
  }
  return stop
}
