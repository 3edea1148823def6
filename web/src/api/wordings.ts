import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { action } from './action'
import { client, dataOf } from './client'
import { keys } from './keys'
import { savedOf, type Save } from './settings'
import type { MailWordings, WordingDraft } from './types'

/** Mails with a wording, their placeholders and the program's wordings. */
export const wordedMailsQuery = queryOptions({
  queryKey: keys.settings('mails'),
  queryFn: ({ signal }) => dataOf(client.GET('/settings/mails', { signal })),
})

/** The library's own wordings of a mail. */
export const wordingsQuery = (kind: string) =>
  queryOptions({
    queryKey: [...keys.settings('mails'), kind],
    queryFn: ({ signal }) =>
      savedOf<MailWordings>(client.GET('/settings/mails/{kind}', { params: { path: { kind } }, signal })),
  })

/** Builds the action that saves the wordings of a mail over the loaded version. */
export const saveWordings = (kind: string): Save<MailWordings> =>
  action({
    name: `saveWordings ${kind}`,
    send: ({ document, etag }, { headers }) =>
      savedOf<MailWordings>(
        client.PUT('/settings/mails/{kind}', {
          params: { path: { kind }, header: { 'If-Match': etag } },
          body: document,
          headers,
        }),
      ),
    learn: (queries, output) => queries.setQueryData(wordingsQuery(kind).queryKey, output),
    changes: () => [keys.changes],
    fault: 'The wording could not be saved',
  })

/** Mail with this wording and example values. */
export const wordingPreviewQuery = (kind: string, draft: WordingDraft) =>
  queryOptions({
    queryKey: [...keys.settings('mails'), kind, 'preview', draft],
    queryFn: ({ signal }) =>
      dataOf(client.POST('/settings/mails/{kind}/preview', { params: { path: { kind } }, body: draft, signal })),
    placeholderData: keepPreviousData,
    retry: false,
  })

/** Sends a mail with this wording to the librarian's own address. */
export const sendWording = action({
  name: 'sendWording',
  send: ({ kind, draft }: { kind: string; draft: WordingDraft }, call) =>
    dataOf(client.POST('/settings/mails/{kind}/send', { params: { path: { kind } }, body: draft, ...call })),
  changes: () => [keys.mails],
  fault: 'The mail with this wording could not be sent',
})
