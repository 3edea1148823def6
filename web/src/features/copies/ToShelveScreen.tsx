import { Button, Text, TextInput, Title } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState, type ReactNode, type RefObject } from 'react'
import { Link, useSearchParams } from 'react-router'
import { useAction } from '../../api/action'
import { configQuery, useLibraryName } from '../../api/config'
import { copiesInQuery, everyCopyIn, moveCopy, shelvePortion } from '../../api/copies'
import type { Copy, CopyState, ListedCopy, StateCount } from '../../api/types'
import type { ShelfResult } from '../../counter/shelf'
import { useShelf } from '../../counter/useShelf'
import { quoted } from '../../lib/format'
import { rich, t } from '../../lib/messages'
import { notify } from '../../lib/notify'
import { paths } from '../../screens'
import { messageOf } from '../../lib/problem'
import { PrintNow } from '../../print/PrintNow'
import { ShowMore } from '../../ui/ShowMore'
import { ConfirmModal } from '../../ui/ConfirmModal'
import { EmptyState } from '../../ui/EmptyState'
import { DateText } from '../../ui/Facts'
import { ListState } from '../../ui/ListState'
import { StatusLine, UnknownTasks } from '../../ui/OutboxState'
import { PageHeader } from '../../ui/PageHeader'
import { ResponsiveTable } from '../../ui/ResponsiveTable'
import { movedWords, refusedWords, stateText } from './stateText'
import chips from '../../ui/Chips.module.css'
import classes from './ToShelveScreen.module.css'
import { BookLink } from '../../ui/BookLink'

/** States with a list, in the order of their chips. */
const LISTED = [
  'to-shelve',
  'unseen',
  'missing',
  'in-repair',
  'lost',
  'reference',
  'withdrawn',
] as const satisfies readonly CopyState[]

/** States that end with a scan of the copy. A lost copy may have been paid for, so the button of its row asks first. */
const FOUND_BY_SCAN: ReadonlySet<CopyState> = new Set(['unseen', 'missing', 'in-repair'])

/** Lists the copies that are not where readers find them: to be shelved (R-COPY-4), missing, lost, in repair. */
export default function ToShelveScreen() {
  const [params] = useSearchParams()
  const state = LISTED.find((known) => known === params.get('state')) ?? LISTED[0]
  return state === 'to-shelve' ? <ToShelve /> : <InState key={state} state={state} />
}

function Chips({ state, page }: { state: CopyState; page: CopyPage | undefined }) {
  const count = (of: CopyState) =>
    of === 'to-shelve' ? (page?.toShelve ?? 0) : (page?.elsewhere.find((one) => one.state === of)?.count ?? 0)
  return (
    <nav aria-label={t('toShelve.states')} className={`${chips.chips} ${classes.chips}`}>
      {LISTED.map((one) => (
        <Link
          key={one}
          to={{ search: one === LISTED[0] ? '' : `state=${one}` }}
          replace
          aria-current={one === state ? 'true' : undefined}
        >
          {t('toShelve.state', { state: stateText(one), count: count(one) })}
        </Link>
      ))}
    </nav>
  )
}

type CopyPage = { toShelve: number; elsewhere: readonly StateCount[] }

/** Lists the copies in one state: each with its first day there, its last reader and its ways back to the shelf (L11). */
function InState({ state }: { state: CopyState }) {
  const query = useInfiniteQuery(copiesInQuery(state))
  const copies = query.data?.pages.flatMap((page) => page.copies) ?? []
  const place = useRef<HTMLDivElement>(null)
  const box = useRef<HTMLInputElement>(null)
  const isScanned = FOUND_BY_SCAN.has(state)
  const whenGone = () => (box.current ?? place.current)?.focus()

  useEffect(() => box.current?.focus({ preventScroll: true }), [])

  return (
    <>
      <PageHeader title={t('toShelve.title')} actions={copies.length > 0 && <PrintList state={state} />} />
      <div ref={place} tabIndex={-1}>
        <Chips state={state} page={query.data?.pages[0]} />
      </div>
      {isScanned && <Scan box={box} found={state} />}
      <ListState query={query} lines={5}>
        {() =>
          copies.length === 0 ? (
            <EmptyState message={t('toShelve.noneIn', { state: stateText(state) })} />
          ) : (
            <>
              <WaitingCopies copies={copies} whenGone={whenGone} isSince />
              <ShowMore query={query} label={t('copies.more')} />
            </>
          )
        }
      </ListState>
    </>
  )
}

/** Button that prints all copies in a state, as a list to tick off at the shelves. */
function PrintList({ state }: { state: CopyState }) {
  const [reading, setReading] = useState(false)
  const [copies, setCopies] = useState<readonly ListedCopy[] | null>(null)
  const library = useLibraryName()
  const today = useQuery(configQuery).data?.today

  async function print() {
    setReading(true)
    try {
      setCopies(await everyCopyIn(state))
    } catch (error) {
      notify.failure(messageOf(error))
    } finally {
      setReading(false)
    }
  }

  return (
    <>
      <Button variant="default" loading={reading} onClick={() => void print()}>
        {t('toShelve.print')}
      </Button>
      {copies !== null && (
        <PrintNow paper="page" onDone={() => setCopies(null)}>
          <h2>{t('toShelve.state', { state: stateText(state), count: copies.length })}</h2>
          <p>
            <span dir="auto">{library}</span> {today !== undefined && <DateText day={today} />}
          </p>
          <table className={classes.printed}>
            <thead>
              <tr>
                <th scope="col">{t('loans.column.book')}</th>
                <th scope="col">{t('copies.column.location')}</th>
                <th scope="col">{t('copies.column.barcode')}</th>
                <th scope="col">{t('toShelve.since')}</th>
                <th scope="col">{t('toShelve.lastReader')}</th>
                <th scope="col">{t('toShelve.found')}</th>
              </tr>
            </thead>
            <tbody>
              {copies.map(({ id, title, location, barcode, since, lastReader }) => (
                <tr key={id}>
                  <td dir="auto">{title}</td>
                  <td dir="auto">{location}</td>
                  <td dir="auto">{barcode}</td>
                  <td>{since && <DateText day={since} />}</td>
                  <td dir="auto">{lastReader?.name}</td>
                  <td>☐</td>
                </tr>
              ))}
            </tbody>
          </table>
        </PrintNow>
      )}
    </>
  )
}

/** Returned copies, shelved one by one by scan, or all at once (R-COPY-4). */
function ToShelve() {
  const query = useInfiniteQuery(copiesInQuery('to-shelve'))
  const copies = query.data?.pages.flatMap((page) => page.copies) ?? []
  const total = query.data?.pages[0]?.toShelve ?? 0
  const box = useRef<HTMLInputElement>(null)

  useEffect(() => box.current?.focus({ preventScroll: true }), [])

  return (
    <>
      <PageHeader
        title={t('toShelve.title')}
        actions={total > 0 && <AllAtOnce total={total} whenDone={() => box.current?.focus()} />}
      />
      <Chips state="to-shelve" page={query.data?.pages[0]} />
      <Scan box={box} />
      <Text role="status" c="dimmed" size="sm" className="tabular" mb="xs">
        {total > 0 ? t('toShelve.count', { count: total }) : ''}
      </Text>
      <ListState query={query} lines={3}>
        {() =>
          copies.length === 0 ? (
            <EmptyState message={t('toShelve.none')} />
          ) : (
            <>
              <WaitingCopies copies={copies} whenGone={() => box.current?.focus()} />
              <ShowMore query={query} label={t('copies.more')} />
            </>
          )
        }
      </ListState>
    </>
  )
}

/** Box for the next scan, and the results of the last ten. Copies in the state `found` go to the shelf, too. */
function Scan({ box, found }: { box: RefObject<HTMLInputElement | null>; found?: CopyState }) {
  const { shelf, shelved, waiting, unknown, line, bounced } = useShelf()
  const [code, setCode] = useState('')
  const [newest, ...earlier] = shelved

  function take() {
    // Empties the box at once: the next scan may arrive before this one is answered.
    const scanned = code.trim()
    setCode('')
    if (scanned !== '') shelf.scan(scanned, found)
  }

  return (
    <>
      <form
        className={classes.scan}
        onSubmit={(event) => {
          event.preventDefault()
          take()
        }}
      >
        <TextInput
          ref={box}
          label={t('toShelve.scan')}
          description={t('toShelve.scanHint')}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          className={classes.box}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          onKeyDown={(event) => {
            // Some scanners end with Tab.
            if (event.key !== 'Tab' || event.shiftKey || code.trim() === '') return
            event.preventDefault()
            take()
          }}
        />
        <StatusLine waiting={waiting} line={line} bounced={bounced} />
      </form>
      {(line === 'offline' || line === 'signed-out') && (
        <div className={classes.cut} role="alert">
          <Result kind="refused">{line === 'offline' ? t('toShelve.cut') : t('desk.screen.signedOut')}</Result>
        </div>
      )}
      <UnknownTasks
        entries={unknown}
        onTryAgain={(key) => (shelf.tryAgain(key), box.current?.focus())}
        onSetAside={(key) => (shelf.setAside(key), box.current?.focus())}
      />
      <div role="status" aria-live="assertive" className={classes.last}>
        {newest && <Last key={newest.id} last={newest} />}
      </div>
      {earlier.length > 0 && (
        <section aria-labelledby="earlier-scans" className={classes.earlier}>
          <Title order={2} size="h4" id="earlier-scans">
            {t('desk.screen.earlier')}
          </Title>
          <ol>
            {earlier.map((one) => (
              <li key={one.id}>
                <Last last={one} />
              </li>
            ))}
          </ol>
        </section>
      )}
    </>
  )
}

function Last({ last }: { last: ShelfResult }) {
  const { code } = last
  if (last.kind === 'failed') {
    const reason = refusedWords(messageOf(last.error), last.error)
    return <Result kind="refused">{t('toShelve.failed', { code, reason })}</Result>
  }
  const { before, after } = last.shelving
  if (before === null) return <Result kind="refused">{t('toShelve.unknown', { code })}</Result>
  const title = quoted(before.title)
  if (after === null) {
    return (
      <Result kind="refused">
        {before.loan
          ? t('toShelve.onLoan', { title, name: before.loan.userName, day: before.loan.returnDate })
          : rich('toShelve.elsewhere', {
              title,
              state: stateText(before.state),
              link: (words) => <Link to={paths.bookDetail(before.bookId)}>{words}</Link>,
            })}
      </Result>
    )
  }
  if (after.hold) {
    return (
      <Result kind="kept">
        {rich('toShelve.kept', {
          title,
          name: after.hold.userName,
          day: after.hold.readyUntil,
          strong: (words) => <strong>{words}</strong>,
        })}
      </Result>
    )
  }
  if (before.state === 'on-shelf') return <Result kind="already">{t('toShelve.already', { title })}</Result>
  return (
    <Result kind="done">
      {rich('toShelve.done', { title, location: after.location, strong: (words) => <strong>{words}</strong> })}
    </Result>
  )
}

function Result({ kind, children }: { kind: 'done' | 'kept' | 'already' | 'refused'; children: ReactNode }) {
  return (
    <p className={classes.told} data-kind={kind} dir="auto">
      {children}
    </p>
  )
}

type WaitingCopiesProps = { copies: readonly ListedCopy[]; whenGone: () => void; isSince?: boolean }

function WaitingCopies({ copies, whenGone, isSince = false }: WaitingCopiesProps) {
  return (
    <ResponsiveTable
      label={t('toShelve.title')}
      rows={copies}
      keyOf={(copy) => copy.id}
      columns={[
        {
          title: t('loans.column.book'),
          cell: (copy) => <BookLink id={copy.bookId} title={copy.title} />,
        },
        { title: t('copies.column.location'), cell: (copy) => <span dir="auto">{copy.location}</span> },
        {
          title: t('copies.column.barcode'),
          cell: (copy) => (
            <span className="tabular" dir="auto">
              {copy.barcode}
            </span>
          ),
        },
        ...(isSince
          ? [
              {
                title: t('toShelve.since'),
                cell: ({ since }: ListedCopy) => since && <DateText day={since} />,
              },
              {
                title: t('toShelve.lastReader'),
                cell: ({ lastReader }: ListedCopy) =>
                  lastReader && (
                    <Link to={paths.person(lastReader.uid)} dir="auto">
                      {lastReader.name}
                    </Link>
                  ),
              },
              {
                title: t('copies.column.note'),
                cell: ({ note }: ListedCopy) => (note ? <span dir="auto">{note}</span> : null),
              },
            ]
          : []),
        {
          title: t('copies.column.actions'),
          bare: true,
          cell: (copy) => copy.moves.includes('on-shelf') && <PutBack copy={copy} whenGone={whenGone} />,
        },
      ]}
    />
  )
}

function PutBack({ copy, whenGone }: { copy: Copy; whenGone: () => void }) {
  const move = useAction(moveCopy, { done: movedWords, failed: refusedWords })

  async function run() {
    const { refreshed } = await move.run({ id: copy.id, state: 'on-shelf' })
    await refreshed
    // The button disappears with its row, so the focus returns to the box.
    whenGone()
  }

  return (
    <Button
      variant="default"
      size="compact-sm"
      h={34}
      aria-label={t('toShelve.named', { action: t('copies.shelve'), title: copy.title, barcode: copy.barcode })}
      loading={move.pending}
      onClick={() => void run()}
    >
      {t('copies.shelve')}
    </Button>
  )
}

function AllAtOnce({ total, whenDone }: { total: number; whenDone: () => void }) {
  const [asking, setAsking] = useState(false)
  const [running, setRunning] = useState(false)
  const shelve = useAction(shelvePortion, { failed: (reason) => t('copies.move.failed', { reason }) })

  async function all() {
    setRunning(true)
    let done = 0
    let kept = 0
    for (;;) {
      // One batch after the other: each is one transaction of the server.
      // oxlint-disable-next-line no-await-in-loop
      const outcome = await shelve.run(null)
      if (!outcome.ok) break
      const portion = outcome.output
      done += portion.count
      kept += portion.kept
      if (portion.count + portion.kept === 0 || done + kept >= total) break
    }
    if (done > 0) notify.success(t('toShelve.allDone', { count: done }))
    if (kept > 0) notify.success(t('toShelve.allKept', { count: kept }))
    setRunning(false)
    setAsking(false)
    whenDone()
  }

  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)}>
        {t('toShelve.all')}
      </Button>
      <ConfirmModal
        opened={asking}
        title={t('toShelve.allQuestion')}
        confirm={t('toShelve.all')}
        pending={running}
        onConfirm={() => void all()}
        onClose={() => setAsking(false)}
      >
        {t('toShelve.allWhat', { count: total })}
      </ConfirmModal>
    </>
  )
}
