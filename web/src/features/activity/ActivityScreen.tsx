import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { changesFile, changesQuery, type ChangeFilter } from '../../api/changes'
import { configQuery } from '../../api/config'
import { dayText } from '../../lib/format'
import { isBackwards, useAddressFilter } from '../../lib/addressFilter'
import { t } from '../../lib/messages'
import { paths } from '../../screens'
import { ShowMore } from '../../ui/ShowMore'
import { EmptyState } from '../../ui/EmptyState'
import { ListState } from '../../ui/ListState'
import { PageHeader } from '../../ui/PageHeader'
import { FindBook } from '../findBook'
import { FindPerson } from '../find'
import classes from './ActivityScreen.module.css'
import { ChangeItem } from './ChangeItem'
import { byDay, filterIn } from './filter'

/** Kinds of changes by area, most requested first. */
const ACTIONS = {
  loans: [
    'lent',
    'returned',
    'renewed',
    'due-date-set',
    'fine-charged',
    'due-date-moved',
    'slip-printed',
    'declared-lost',
    'loan-imported',
    'undone',
  ],
  money: [
    'charged',
    'charge-imported',
    'paid',
    'waived',
    'charge-reversed',
    'payment-reversed',
    'till-closed',
    'refunded',
  ],
  holds: ['hold-placed', 'hold-ready', 'hold-cancelled', 'hold-expired', 'hold-put-back', 'holds-reordered'],
  books: [
    'book-added',
    'book-updated',
    'book-deleted',
    'books-imported',
    'copies-added',
    'copy-moved',
    'copy-updated',
    'reviewed',
    'review-deleted',
  ],
  people: [
    'person-added',
    'person-updated',
    'photo-added',
    'photo-changed',
    'photo-removed',
    'photo-restored',
    'person-deactivated',
    'person-activated',
    'batch-moved',
    'no-dues-issued',
    'people-merged',
    'person-erased',
    'readers-forgotten',
    'librarian-made',
    'librarian-unmade',
    'capabilities-changed',
    'registered',
    'profile-updated',
  ],
  signIn: [
    'sign-in-code-made',
    'password-set',
    'password-changed',
    'address-confirmed',
    'sessions-ended',
    'second-factor-on',
    'second-factor-off',
    'second-factor-reset',
    'recovery-codes-made',
    'recovery-code-used',
    'provider-linked',
    'provider-unlinked',
    'signed-in',
  ],
  settings: ['rules-changed', 'calendar-changed', 'settings-changed', 'mail-wording-changed'],
} as const

/** Log of changes, filtered by person, book, kind and day. */
export default function ActivityScreen() {
  const [filter, set] = useAddressFilter(filterIn)
  const backwards = isBackwards(filter)
  const query = useInfiniteQuery({ ...changesQuery(filter), enabled: !backwards })
  const config = useQuery(configQuery)
  const changes = query.data?.pages.flatMap((page) => page.changes)
  // Name of the chosen person or book: an empty list has no row that shows it.
  const [chosen, setChosen] = useState<Named>({})
  const filtered = Object.keys(filter).length > 0

  return (
    <div className={classes.screen}>
      <PageHeader
        title={t('activity.title')}
        actions={
          !backwards && (
            <Button component="a" href={changesFile(filter)} download variant="default">
              {t('activity.csv')}
            </Button>
          )
        }
      />
      <div className={classes.filters}>
        <NativeSelect
          label={t('activity.kind')}
          value={filter.action ?? ''}
          data={[
            { value: '', label: t('activity.everything') },
            ...(Object.keys(ACTIONS) as (keyof typeof ACTIONS)[]).map((area) => ({
              group: t(`activity.area.${area}`),
              items: ACTIONS[area].map((action) => ({ value: action, label: t(`activity.action.${action}`) })),
            })),
          ]}
          onChange={(event) => set({ action: event.currentTarget.value })}
        />
        <TextInput
          type="date"
          label={t('activity.from')}
          value={filter.from ?? ''}
          onChange={(event) => set({ from: event.currentTarget.value })}
        />
        <TextInput
          type="date"
          label={t('activity.to')}
          value={filter.to ?? ''}
          error={backwards && t('field.endsBeforeItBegins')}
          onChange={(event) => set({ to: event.currentTarget.value })}
        />
      </div>
      <div className={classes.filters}>
        <FindPerson
          label={t('activity.person')}
          onChoose={({ uid, name }) => {
            setChosen((before) => ({ ...before, person: { id: uid, name } }))
            set({ person: String(uid) })
            return Promise.resolve(true)
          }}
        />
        <FindBook
          label={t('activity.book')}
          onChoose={({ id, title }) => {
            setChosen((before) => ({ ...before, book: { id, name: title } }))
            set({ book: String(id) })
            return true
          }}
        />
      </div>
      <Chosen filter={filter} names={[chosen, ...(changes ?? [])]} onRemove={(name) => set({ [name]: '' })} />
      {!backwards && (
        <ListState
          // Days of the list are in the library's time zone.
          query={{
            data: changes && config.data ? { changes, timeZone: config.data.timeZone } : undefined,
            isError: query.isError || (config.isError && !config.data),
            isFetchNextPageError: query.isFetchNextPageError,
            error: query.error ?? config.error,
            refetch: () => Promise.all([query.refetch(), config.refetch()]),
          }}
          lines={8}
        >
          {(found) =>
            found.changes.length === 0 ? (
              <EmptyState
                message={t(filtered ? 'activity.noMatch' : 'activity.none')}
                action={
                  filtered && (
                    <Button component={Link} to={paths.activity()} variant="default">
                      {t('activity.clear')}
                    </Button>
                  )
                }
              />
            ) : (
              <div
                className={classes.list}
                data-stale={query.isPlaceholderData || undefined}
                aria-busy={query.isFetching}
              >
                {byDay(found.changes, found.timeZone).map(({ day, changes: of }) => (
                  <section key={day} aria-labelledby={`day-${day}`}>
                    <h2 id={`day-${day}`} className={classes.day}>
                      <time dateTime={day}>{dayText(day)}</time>
                    </h2>
                    <ol className={classes.changes}>
                      {of.map((change) => (
                        <ChangeItem key={change.id} change={change} timeZone={found.timeZone} narrows />
                      ))}
                    </ol>
                  </section>
                ))}
                <ShowMore query={query} label={t('activity.more')} />
              </div>
            )
          }
        </ListState>
      )}
    </div>
  )
}

type Named = Partial<Record<'actor' | 'person' | 'book', { id: number; name: string } | null>>

type ChosenProps = {
  filter: ChangeFilter
  /** Sources of the names of the chosen person and book. */
  names: readonly Named[]
  onRemove: (name: 'person' | 'book') => void
}

/** The chosen person and book, by name. */
function Chosen({ filter, names, onRemove }: ChosenProps) {
  const person = names.flatMap(({ actor, person: of }) => [actor, of]).find((one) => one?.id === filter.person)
  const book = names.map((change) => change.book).find((one) => one?.id === filter.book)
  const chips = [
    filter.person !== undefined &&
      (['person', t('activity.filter.person', { name: person?.name ?? `#${filter.person}` })] as const),
    filter.book !== undefined &&
      (['book', t('activity.filter.book', { title: book?.name || `#${filter.book}` })] as const),
  ].filter((chip) => chip !== false)
  if (chips.length === 0) return null
  return (
    <div className={classes.chips}>
      {chips.map(([name, words]) => (
        <Button
          key={name}
          variant="light"
          size="compact-md"
          aria-label={t('activity.filter.remove', { filter: words })}
          onClick={() => onRemove(name)}
        >
          <span dir="auto" className={classes.chip}>
            {words}
          </span>
          <span aria-hidden="true" className={classes.cross}>
            ×
          </span>
        </Button>
      ))}
    </div>
  )
}
