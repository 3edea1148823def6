import { queryOptions } from '@tanstack/react-query'
import { action } from './action'
import { client, dataOf } from './client'
import { listen } from './events'
import { keys } from './keys'
import type { PhoneAnswer, PhoneScan, PhoneScanForm } from './types'

/** The librarian's phones, those of other desks too. */
export const phonesQuery = queryOptions({
  queryKey: keys.phones,
  queryFn: async ({ signal }) => (await dataOf(client.GET('/desk/phones', { signal }))).phones,
})

/** Makes a code for a phone to open; a new one takes the place of one that no phone has opened. */
export const pairPhone = action({
  name: 'pairPhone',
  send: (desk: string) => dataOf(client.POST('/desk/phones', { body: { desk } })),
  changes: () => [keys.phones],
  fault: 'The phone was not paired',
  foreseen: ['too-many-phones'],
})

export const unpairPhone = action({
  name: 'unpairPhone',
  send: (id: number, call) => dataOf(client.DELETE('/desk/phones/{id}', { params: { path: { id } }, ...call })),
  changes: () => [keys.phones],
  fault: 'The phone was not disconnected',
  foreseen: ['not-found'],
})

/** Why a stream is not heard any more: another page or phone is heard in its place, or it has ended. */
export type Over = 'elsewhere' | 'ended'

type Hearing<T> = {
  onNews: (news: T) => void
  /** Whether the server can be heard. */
  onStands: (stands: boolean) => void
  onOver: (why: Over) => void
}

/** Hears what the phones of this desk scan; `onPhones` is told whenever the list of phones has changed. */
export function hearScans(desk: string, { onNews, onStands, onOver }: Hearing<PhoneScan>, onPhones: () => void) {
  const stop = listen(`/desk/phone-scans?desk=${encodeURIComponent(desk)}`, {
    onEvent: ({ event, data }) => {
      if (event === 'scan') onNews(JSON.parse(data) as PhoneScan)
      else if (event === 'phones') onPhones()
      else if (event === 'elsewhere' || event === 'ended') finish(event)
    },
    onStands,
    onRefused: () => finish('ended'),
  })
  function finish(why: Over) {
    stop()
    onOver(why)
  }
  return stop
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })

/** Sends what the phone with this token has read; however often it is sent, it is done once. */
export const sendScan = (token: string, body: PhoneScanForm, signal: AbortSignal) =>
  dataOf(client.POST('/phone/scans', { body, headers: bearer(token), signal }))

/** Hears what the desk answers to the phone with this token; `page` tells one that was loaded anew from another phone. */
export function hearAnswers(token: string, page: string, { onNews, onStands, onOver }: Hearing<PhoneAnswer>) {
  const stop = listen(`/phone/answers?page=${encodeURIComponent(page)}`, {
    headers: bearer(token),
    onEvent: ({ event, data }) => {
      if (event === 'answer') onNews(JSON.parse(data) as PhoneAnswer)
      else if (event === 'elsewhere' || event === 'ended') finish(event)
    },
    onStands,
    onRefused: () => finish('ended'),
  })
  function finish(why: Over) {
    stop()
    onOver(why)
  }
  return stop
}
