import { queryOptions } from '@tanstack/react-query'
import { action, type Action } from './action'
import { answerOf, client, dataOf } from './client'
import { keys } from './keys'
import type { Calendar, Effect, LibrarySettings, NoticeSettings, RulesDocument } from './types'

/** A document of the settings with its version, which a save must name. */
export type Saved<D> = { document: D; etag: string }

/** Returns a document with its version. */
export async function savedOf<D>(call: Promise<{ data?: D; error?: unknown; response: Response }>): Promise<Saved<D>> {
  const { data, response } = await answerOf(call)
  return { document: data, etag: response.headers.get('ETag') ?? '' }
}

/** Last saved rules, which may take effect after today. */
export const rulesQuery = queryOptions({
  queryKey: keys.settings('rules'),
  queryFn: ({ signal }) => savedOf<RulesDocument>(client.GET('/settings/rules', { signal })),
})

export const calendarQuery = queryOptions({
  queryKey: keys.settings('calendar'),
  queryFn: ({ signal }) => savedOf<Calendar>(client.GET('/settings/calendar', { signal })),
})

export const libraryQuery = queryOptions({
  queryKey: keys.settings('library'),
  queryFn: ({ signal }) => savedOf<LibrarySettings>(client.GET('/settings/library', { signal })),
})

export const noticesQuery = queryOptions({
  queryKey: keys.settings('notices'),
  queryFn: ({ signal }) => savedOf<NoticeSettings>(client.GET('/settings/notices', { signal })),
})

/**
 * Saves a document over the loaded version (`etag`); fails with `stale` if another librarian saved the document meanwhile.
 */
export type Save<D> = Action<Saved<D>, Saved<D>>

/** Previews the effect on open loans (R-RULE-5). Nothing is saved. */
export type Preview<D> = Action<D, Effect>

/** Invalidated by a save: fines and due dates follow the rules, and screens show the library's name, currency and numbers. */
const CHANGED = [keys.config, keys.loans, keys.myLoans, keys.changes]

export const saveRules: Save<RulesDocument> = action({
  name: 'saveRules',
  send: ({ document, etag }, { headers }) =>
    savedOf<RulesDocument>(
      client.PUT('/settings/rules', { params: { header: { 'If-Match': etag } }, body: document, headers }),
    ),
  learn: (queries, output) => queries.setQueryData(keys.settings('rules'), output),
  changes: () => CHANGED,
  fault: 'The rules could not be saved',
})

export const saveCalendar: Save<Calendar> = action({
  name: 'saveCalendar',
  send: ({ document, etag }, { headers }) =>
    savedOf<Calendar>(
      client.PUT('/settings/calendar', { params: { header: { 'If-Match': etag } }, body: document, headers }),
    ),
  learn: (queries, output) => queries.setQueryData(keys.settings('calendar'), output),
  changes: () => CHANGED,
  fault: 'The calendar could not be saved',
})

export const saveLibrary: Save<LibrarySettings> = action({
  name: 'saveLibrary',
  send: ({ document, etag }, { headers }) =>
    savedOf<LibrarySettings>(
      client.PUT('/settings/library', { params: { header: { 'If-Match': etag } }, body: document, headers }),
    ),
  learn: (queries, output) => queries.setQueryData(keys.settings('library'), output),
  changes: () => CHANGED,
  fault: 'The settings of the library could not be saved',
})

export const saveNotices: Save<NoticeSettings> = action({
  name: 'saveNotices',
  send: ({ document, etag }, { headers }) =>
    savedOf<NoticeSettings>(
      client.PUT('/settings/notices', { params: { header: { 'If-Match': etag } }, body: document, headers }),
    ),
  learn: (queries, output) => queries.setQueryData(keys.settings('notices'), output),
  changes: () => [keys.changes],
  fault: 'The settings of notices could not be saved',
})

export const previewRules: Preview<RulesDocument> = action({
  name: 'previewRules',
  send: (body) => dataOf(client.POST('/settings/rules/preview', { body })),
  fault: 'The effect of the rules could not be computed',
})

export const previewLibrary: Preview<LibrarySettings> = action({
  name: 'previewLibrary',
  send: (body) => dataOf(client.POST('/settings/library/preview', { body })),
  fault: 'The effect of the settings could not be computed',
})

export const previewCalendar: Preview<Calendar> = action({
  name: 'previewCalendar',
  send: (body) => dataOf(client.POST('/settings/calendar/preview', { body })),
  fault: 'The effect of the calendar could not be computed',
})
