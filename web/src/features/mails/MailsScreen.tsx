import { Alert, Anchor, Box, Button, NativeSelect, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { Link } from 'react-router'
import { useAction } from '../../api/action'
import { mailsQuery, sendDayAgain, sendMailAgain, stopMail, type MailFilter } from '../../api/mails'
import type { MailItem, MailList, MailState, MailTrouble } from '../../api/types'
import { useAddressFilter } from '../../lib/addressFilter'
import { dayText, hourText, momentText } from '../../lib/format'
import { t, translateMessage } from '../../lib/messages'
import { paths } from '../../screens'
import { EmptyState } from '../../ui/EmptyState'
import { ListState } from '../../ui/ListState'
import { PageHeader } from '../../ui/PageHeader'
import { ResponsiveTable } from '../../ui/ResponsiveTable'
import { ShowMore } from '../../ui/ShowMore'
import classes from './Mails.module.css'
import { Tomorrow } from './Tomorrow'

const STATES: readonly MailState[] = ['queued', 'sent', 'failed', 'stopped']

/** Intervals of reading the list: while mails wait to be sent, and otherwise. */
const SOON_MS = 2500
const LATER_MS = 10_000

/** Reads the state from the address; an unknown one is ignored. */
function filterIn(params: URLSearchParams): MailFilter {
  const state = STATES.find((one) => one === params.get('state'))
  return state === undefined ? {} : { state }
}

const buttonsIn = (list: HTMLElement | null) => [
  ...(list?.querySelectorAll<HTMLButtonElement>('[role=row] button') ?? []),
]

/** Mails of the last thirty days: queued, sent, or failed with the reason. */
export default function MailsScreen() {
  const [filter, set] = useAddressFilter(filterIn)
  const query = useInfiniteQuery({
    ...mailsQuery(filter),
    refetchInterval: ({ state }) => (state.data?.pages[0]?.counts.queued ? SOON_MS : LATER_MS),
  })
  const list = useRef<HTMLDivElement>(null)
  /** Focuses the button in place of a pressed one, or the list: the press changes the row, and may remove it. */
  function focusAt(index: number) {
    const buttons = buttonsIn(list.current)
    ;(buttons[Math.min(index, buttons.length - 1)] ?? list.current)?.focus()
  }
  const first = query.data?.pages[0]
  const mails = query.data?.pages.flatMap((page) => page.mails) ?? []
  return (
    <Box maw="68rem" mx="auto">
      <PageHeader title={t('mails.title')} />
      {first && <Troubles {...first} />}
      {first && (first.on || first.textsOn) && <Tomorrow />}
      <NativeSelect
        maw="16rem"
        mb="md"
        label={t('mails.show')}
        value={filter.state ?? ''}
        data={[
          { value: '', label: t('mails.every') },
          ...STATES.map((state) => ({
            value: state,
            label: t(`mails.state.${state}`) + (first ? ` (${first.counts[state]})` : ''),
          })),
        ]}
        onChange={(event) => set({ state: event.currentTarget.value })}
      />
      {first && <FailedDays days={first.failedDays} whenDone={() => list.current?.focus()} />}
      <div ref={list} tabIndex={-1}>
        <ListState query={query} lines={6}>
          {() =>
            mails.length === 0 ? (
              <EmptyState message={t(filter.state === undefined ? 'mails.none' : 'mails.noneOfState')} />
            ) : (
              <div data-stale={query.isPlaceholderData || undefined} aria-busy={query.isFetching}>
                <ResponsiveTable
                  label={t('mails.title')}
                  rows={mails}
                  keyOf={({ id }) => id}
                  columns={[
                    { title: t('mails.column.to'), cell: (mail) => <Addressee {...mail} /> },
                    { title: t('mails.column.subject'), cell: (mail) => <Subject {...mail} /> },
                    { title: t('mails.column.when'), cell: ({ createdAt }) => momentText(createdAt) },
                    { title: t('mails.column.state'), cell: (mail) => <State {...mail} /> },
                    {
                      title: t('mails.column.do'),
                      bare: true,
                      cell: (mail) => (
                        <MailAction
                          mail={mail}
                          placeOf={(button) => buttonsIn(list.current).indexOf(button)}
                          whenDone={focusAt}
                        />
                      ),
                    },
                  ]}
                />
                <ShowMore query={query} label={t('mails.more')} />
              </div>
            )
          }
        </ListState>
      </div>
    </Box>
  )
}

/** Days with failed mails, each with a button that sends all of them again. */
function FailedDays({ days, whenDone }: { days: MailList['failedDays']; whenDone: () => void }) {
  const again = useAction(sendDayAgain, {
    done: ({ count }) => t('mails.again.allDone', { count }),
    failed: (reason) => reason,
  })
  async function press(day: string) {
    const { ok, refreshed } = await again.run(day)
    await refreshed
    if (ok) whenDone()
  }
  if (days.length === 0) return null
  return (
    <ul className={classes.days}>
      {days.map(({ day, count }) => (
        <li key={day}>
          <span>{t('mails.failedOn', { day: dayText(day), count })}</span>
          <Button
            variant="default"
            size="compact-sm"
            h={34}
            aria-label={t('mails.again.allNamed', { day: dayText(day) })}
            disabled={again.pending}
            onClick={() => void press(day)}
          >
            {t('mails.again.all')}
          </Button>
        </li>
      ))}
    </ul>
  )
}

/** Warns while no mail or no text message can be sent, and says why; also says what waits for the end of the quiet hours. */
function Troubles({ on, trouble, textsOn, textTrouble, quiet }: MailList) {
  return (
    <>
      {!on && (
        <Alert color="gray" mb="lg">
          {t(textsOn ? 'mails.offTexts' : 'mails.off')}
        </Alert>
      )}
      {on && trouble && <Trouble {...trouble} />}
      {textsOn && textTrouble && <Trouble {...textTrouble} />}
      {(on || textsOn) && quiet && quiet.waiting > 0 && (
        <Alert color="gray" mb="lg" role="note">
          {t('mails.quiet', { until: hourText(quiet.until), count: quiet.waiting })}
        </Alert>
      )}
    </>
  )
}

function Trouble({ channel, since, reason, nextTry }: MailTrouble) {
  const title = t(channel === 'text' ? 'mails.textTrouble' : 'mails.trouble', { since: momentText(since) })
  return (
    <Alert color="red" mb="lg" role="alert" title={title}>
      {reason && translateMessage(reason)} {t('mails.nextTry', { at: momentText(nextTry) })}
    </Alert>
  )
}

/** Props of the second line in a cell. */
const small = {
  component: 'span',
  size: 'sm',
  c: 'dimmed',
  display: 'block',
  style: { overflowWrap: 'anywhere' },
} as const

function Addressee({ person, name, address }: MailItem) {
  if (person === null || name === null) return <span dir="ltr">{address}</span>
  return (
    <>
      <Anchor component={Link} to={paths.person(person)} dir="auto">
        {name}
      </Anchor>
      <Text {...small} dir="ltr">
        {address}
      </Text>
    </>
  )
}

function Subject({ subject, channel }: MailItem) {
  return (
    <>
      <span dir="auto">{subject}</span>
      {channel === 'text' && <Text {...small}>{t('mails.byText')}</Text>}
    </>
  )
}

function State({ state, reason, stoppedBy, endedAt, nextTry, tries }: MailItem) {
  const at = endedAt ?? (tries > 0 ? nextTry : null)
  return (
    <>
      <Text component="span" inherit c={state === 'failed' ? 'var(--mantine-color-error)' : undefined}>
        {t(`mails.state.${state}`)}
      </Text>
      {(reason ?? stoppedBy) && (
        <Text {...small} dir="auto">
          {stoppedBy === null ? reason && translateMessage(reason) : t('mails.stopped.by', { name: stoppedBy })}
        </Text>
      )}
      {at !== null && (
        <Text {...small}>{state === 'queued' ? t('mails.nextTry', { at: momentText(at) }) : momentText(at)}</Text>
      )}
    </>
  )
}

/** Button that stops a queued mail, or sends a mail again. */
function MailAction({
  mail,
  placeOf,
  whenDone,
}: {
  mail: MailItem
  placeOf: (button: HTMLButtonElement) => number
  whenDone: (place: number) => void
}) {
  const { id, state, subject, address, kind, canSendAgain } = mail
  const stop = useAction(stopMail, { done: () => t('mails.stopped'), failed: (reason) => reason })
  const again = useAction(sendMailAgain, { done: () => t('mails.again.done'), failed: (reason) => reason })
  const of = { subject, address }

  async function press(one: typeof stop, button: HTMLButtonElement) {
    const place = placeOf(button)
    const { ok, refreshed } = await one.run(id)
    await refreshed
    if (ok) whenDone(place)
  }

  if (state === 'queued')
    return (
      <Button
        variant="default"
        size="compact-sm"
        h={34}
        aria-label={t('mails.stop.named', of)}
        loading={stop.pending}
        onClick={({ currentTarget }) => void press(stop, currentTarget)}
      >
        {t('mails.stop.do')}
      </Button>
    )
  if (canSendAgain)
    return (
      <Button
        variant="default"
        size="compact-sm"
        h={34}
        aria-label={t('mails.again.named', of)}
        loading={again.pending}
        onClick={({ currentTarget }) => void press(again, currentTarget)}
      >
        {t('mails.again.do')}
      </Button>
    )
  if (state !== 'sent' && (kind === 'password-link' || kind === 'address-link'))
    return (
      <Text size="sm" c="dimmed">
        {t('mails.askAnew')}
      </Text>
    )
  if (state !== 'sent' && kind === 'welcome')
    return (
      <Text size="sm" c="dimmed">
        {t('mails.makeAnew')}
      </Text>
    )
  return null
}
