import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { action } from './action'
import { client, dataOf } from './client'
import { fileBody, type Upload } from './imports'
import { keys } from './keys'
import { FIRST_PAGE, pageAfter } from './pages'
import type {
  BatchNoDuesForm,
  EndedLoan,
  Loan,
  MergeForm,
  NoDuesForm,
  PeopleFilter,
  Person,
  PersonEdit,
  PersonForm,
  PeoplePage,
  PromotionForm,
  RoleForm,
} from './types'

const PEOPLE_PER_PAGE = 50
const LOANS_PER_PAGE = 20

/** Search, filter and order of the list of people, as in its address. */
export type PeopleList = { q: string; filter: PeopleFilter | null; batch: string; sort: string }

const queryOf = ({ q, filter, batch, sort }: PeopleList) => ({
  ...(q !== '' && { q }),
  ...(filter !== null && { filter }),
  ...(batch !== '' && { batch }),
  ...(sort !== '' && { sort }),
})

/** A page of people. `cursor` null is the first page. */
export const peopleQuery = (list: PeopleList, cursor: string | null) =>
  queryOptions({
    queryKey: keys.peopleList({ ...list, cursor }),
    queryFn: ({ signal }) =>
      dataOf(
        client.GET('/people', {
          params: { query: { ...queryOf(list), limit: PEOPLE_PER_PAGE, ...(cursor !== null && { cursor }) } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  })

/** Maximum number of cards printed at once. */
export const CARDS_AT_ONCE = 500
const CARDS_PER_PAGE = 100

/** The people of a list, page after page, for their cards. */
export const cardsQuery = (list: PeopleList) =>
  queryOptions({
    queryKey: keys.cards(list),
    queryFn: async ({ signal }) => {
      const people: Person[] = []
      let cursor: string | null = null
      let total: number
      do {
        const query = { ...queryOf(list), limit: CARDS_PER_PAGE, ...(cursor !== null && { cursor }) }
        // Each page begins where the one before ends.
        // oxlint-disable-next-line no-await-in-loop
        const page: PeoplePage = await dataOf(client.GET('/people', { params: { query }, signal }))
        people.push(...page.people)
        cursor = page.next
        total = page.total
      } while (cursor !== null && people.length < CARDS_AT_ONCE)
      return { people, total }
    },
    staleTime: 0,
  })

/** First few people that match a text while it is typed. */
export const peopleHitsQuery = (q: string) =>
  queryOptions({
    queryKey: keys.peopleHits(q),
    queryFn: async ({ signal }) =>
      (await dataOf(client.GET('/people', { params: { query: { q, limit: 4 } }, signal }))).people,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  })

/** Person with this roll number; null if no person has it. */
export const rollNumberQuery = (rollNumber: string) =>
  queryOptions({
    queryKey: keys.rollNumber(rollNumber),
    queryFn: async ({ signal }) =>
      (await dataOf(client.GET('/people', { params: { query: { rollNumber } }, signal }))).people[0] ?? null,
    staleTime: 30_000,
  })

/** Returns the address of the CSV export. */
export const peopleFile = (list: PeopleList): string =>
  `/library/api/v1/people.csv?${new URLSearchParams(queryOf(list)).toString()}`

/** Returns the address of a file with all data recorded about a person. */
export const personData = (uid: number): string => `/library/api/v1/people/${uid}/data`

/** Address of a file with all data recorded about the user. */
export const myData = '/library/api/v1/me/data'

export const personQuery = (uid: number) =>
  queryOptions({
    queryKey: keys.person(uid),
    queryFn: ({ signal }) => dataOf(client.GET('/people/{id}', { params: { path: { id: uid } }, signal })),
  })

/** A person's open loans, earliest due date first. */
export const personLoansQuery = (uid: number) =>
  queryOptions({
    queryKey: keys.personLoans(uid),
    queryFn: async ({ signal }) => {
      const { loans, today } = await dataOf(
        client.GET('/people/{id}/loans', { params: { path: { id: uid }, query: { state: 'open' } }, signal }),
      )
      return { loans: loans as Loan[], today }
    },
  })

/** A person's ended loans, last returned first. */
export const endedLoansQuery = (uid: number) =>
  infiniteQueryOptions({
    queryKey: keys.personEnded(uid),
    queryFn: async ({ pageParam, signal }) => {
      const { loans, next } = await dataOf(
        client.GET('/people/{id}/loans', {
          params: {
            path: { id: uid },
            query: {
              state: 'ended',
              limit: LOANS_PER_PAGE,
              ...(pageParam.cursor !== null && { cursor: pageParam.cursor }),
            },
          },
          signal,
        }),
      )
      return { loans: loans as EndedLoan[], next }
    },
    initialPageParam: FIRST_PAGE,
    getNextPageParam: (last, _pages, start) => pageAfter(last, start),
  })

const changed = [keys.people, keys.changes]

export const addPerson = action({
  name: 'addPerson',
  send: (body: PersonForm, call) => dataOf(client.POST('/people', { body, ...call })),
  changes: () => changed,
  fault: 'The person could not be added',
})

export const updatePerson = action({
  name: 'updatePerson',
  send: ({ uid, edit }: { uid: number; edit: PersonEdit }, call) =>
    dataOf(client.PATCH('/people/{id}', { params: { path: { id: uid } }, body: edit, ...call })),
  changes: () => changed,
  fault: 'The person could not be changed',
})

/** Deactivates or reactivates a person. */
export const setActive = action({
  name: 'setActive',
  send: ({ uid, active, reason }: { uid: number; active: boolean; reason?: string }, call) => {
    const params = { path: { id: uid } }
    return active
      ? dataOf(client.POST('/people/{id}/activate', { params, ...call }))
      : dataOf(client.POST('/people/{id}/deactivate', { params, body: reason ? { reason } : {}, ...call }))
  },
  changes: () => changed,
  fault: 'The person could not be activated or deactivated',
})

export const makeCode = action({
  name: 'makeCode',
  send: ({ uid, byMail }: { uid: number; byMail: boolean }, call) =>
    dataOf(client.POST('/people/{id}/sign-in-code', { params: { path: { id: uid } }, body: { byMail }, ...call })),
  changes: () => [keys.changes],
  fault: 'The sign-in code could not be made',
})

/** People who get codes: a batch, those found by search words, or those of a batch that the words find. */
type CodesFor = { batch: string; q: string }

/** Preview of the codes for these people; no code is made. */
export const batchCodesQuery = (whom: CodesFor) =>
  queryOptions({
    queryKey: ['sign-in-codes', whom],
    queryFn: ({ signal }) => dataOf(client.POST('/people/sign-in-codes', { body: { ...whom, dryRun: true }, signal })),
    gcTime: 0,
  })

/** Makes codes for those of these people who have no password. */
export const makeCodesOfBatch = action({
  name: 'makeCodesOfBatch',
  send: (body: CodesFor & { days: number; byMail: boolean }, call) =>
    dataOf(client.POST('/people/sign-in-codes', { body, ...call })),
  changes: () => [keys.changes],
  fault: 'The sign-in codes could not be made',
})

/** Imports people from a file, or previews the import with `dryRun`. The file's properties identify a retry. */
export const importPeople = action({
  name: 'importPeople',
  send: ({ file, name, dryRun, columns }: Upload & { dryRun: boolean; columns: string | undefined }, call) =>
    dataOf(
      client.POST('/people/import', {
        params: { query: { dryRun, name, ...(columns !== undefined && { columns }) } },
        ...fileBody(file, call),
        headers: { ...call.headers, 'Content-Type': 'text/csv' },
      }),
    ),
  // A long file is stored in batches: after a failure, the first batches may be stored.
  changes: ({ dryRun }) => (dryRun ? [] : [...changed, keys.imports]),
  fault: 'The file could not be imported',
})

export const erasePerson = action({
  name: 'erasePerson',
  send: (uid: number, call) => dataOf(client.DELETE('/people/{id}', { params: { path: { id: uid } }, ...call })),
  // The erased record is not invalidated: the screen navigates away from its page.
  changes: () => [keys.peopleLists, keys.changes],
  fault: 'The person could not be erased',
  expected: ['refused'],
})

export const promote = action({
  name: 'promote',
  send: (body: PromotionForm, call) => dataOf(client.POST('/people/promote', { body, ...call })),
  changes: ({ dryRun }, done) => (done && !dryRun ? changed : []),
  fault: 'The batch could not be moved',
  expected: ['refused'],
})

/** Preview of a merge; nothing is stored. */
export const mergePreviewQuery = (keep: number, drop: number) =>
  queryOptions({
    queryKey: keys.mergePreview(keep, drop),
    queryFn: ({ signal }) => dataOf(client.POST('/people/merge', { body: { keep, drop, dryRun: true }, signal })),
    gcTime: 0,
  })

export const mergePeople = action({
  name: 'mergePeople',
  send: (body: MergeForm, call) => dataOf(client.POST('/people/merge', { body, ...call })),
  // The dropped record is not invalidated: the screen navigates away from its page.
  changes: ({ keep }) => [keys.person(keep), keys.peopleLists, keys.changes, keys.books, keys.holds, keys.loans],
  fault: 'The records could not be merged',
})

export const changeRole = action({
  name: 'changeRole',
  send: ({ uid, ...body }: RoleForm & { uid: number }, call) =>
    dataOf(client.POST('/people/{id}/role', { params: { path: { id: uid } }, body, ...call })),
  changes: () => changed,
  fault: 'The role could not be changed',
})

export const issueNoDues = action({
  name: 'issueNoDues',
  send: ({ uid, ...body }: NoDuesForm & { uid: number }, call) =>
    dataOf(client.POST('/people/{id}/no-dues', { params: { path: { id: uid } }, body, ...call })),
  changes: ({ cancelHolds }) => (cancelHolds ? [keys.changes, keys.people, keys.holds] : [keys.changes]),
  fault: 'The certificate could not be issued',
  expected: ['refused'],
})

/** Preview of the certificates of a batch. */
export const batchNoDuesQuery = (batch: string) =>
  queryOptions({
    queryKey: keys.batchNoDues(batch),
    queryFn: ({ signal }) => dataOf(client.POST('/people/no-dues', { body: { batch, dryRun: true }, signal })),
    gcTime: 0,
  })

export const issueNoDuesOfBatch = action({
  name: 'issueNoDuesOfBatch',
  send: (body: BatchNoDuesForm, call) => dataOf(client.POST('/people/no-dues', { body, ...call })),
  changes: () => [keys.changes],
  fault: 'The certificates could not be issued',
})

/** Public check of a no-dues certificate. */
export const noDuesQuery = (number: string) =>
  queryOptions({
    queryKey: keys.noDues(number),
    queryFn: ({ signal }) => dataOf(client.GET('/no-dues/{number}', { params: { path: { number } }, signal })),
  })

/** Last failed mails to a person. */
export const failedMailsQuery = (person: number) =>
  queryOptions({
    queryKey: keys.mailList({ person }),
    queryFn: ({ signal }) =>
      dataOf(client.GET('/mails', { params: { query: { person, state: 'failed', limit: 3 } }, signal })),
  })
