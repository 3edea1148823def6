import { Anchor, Button, Title } from '@mantine/core'
import { memo, useLayoutEffect, useMemo, useRef } from 'react'
import { Link } from 'react-router'
import { fineOf, isUnsettled, nameOf, offersChoices, type Acts } from '../../counter/acts'
import type { EntryActions } from '../../counter/queue'
import type { LogEntry } from '../../counter/tasks'
import { barcodeOf, changeOf, classOf, countedOn, messagesOf, placeOf } from '../../counter/words'
import { t } from '../../lib/messages'
import { paths } from '../../screens'
import { answerIcons } from '../../ui/answerIcons'
import { PrintSlip } from '../holds'
import classes from './Desk.module.css'
import { Undo } from './Undo'

type EarlierProps = {
  /** All entries except the newest, which has its own card. */
  log: readonly LogEntry[]
  acts: Acts
  actions: EntryActions
}

/** Time after the list was reordered in which presses are ignored, milliseconds: they were aimed at another row. */
const MOVED_MS = 800

/** Lists the earlier entries; unsettled ones come first, with their buttons (R-SEAM-6). */
export const Earlier = memo(function Earlier({ log, acts, actions }: EarlierProps) {
  const open = log.filter((one) => isUnsettled(one, acts))
  const rows = [...open, ...log.filter((one) => !open.includes(one))]
  const order = rows.map(({ id }) => id).join(' ')
  const moved = useRef({ order, at: -Infinity })
  useLayoutEffect(() => {
    if (moved.current.order !== order) moved.current = { order, at: performance.now() }
  })
  const guarded = useMemo<EntryActions>(() => {
    const isStill = () => performance.now() - moved.current.at >= MOVED_MS
    return {
      act: (label, task) => void (isStill() && actions.act(label, task)),
      again: (one) => void (isStill() && actions.again(one)),
      setAside: (one) => void (isStill() && actions.setAside(one)),
      show: (one) => void (isStill() && actions.show(one)),
    }
  }, [actions])
  if (rows.length === 0) return null
  return (
    <section aria-labelledby="earlier" className={classes.earlier}>
      <Title order={2} id="earlier">
        {t('desk.screen.earlier')}
      </Title>
      <ol>
        {rows.map((one) => {
          const change = changeOf(one)
          const fine = fineOf(one, acts)
          return (
            <Row
              key={one.id}
              entry={one}
              fine={fine?.open ?? null}
              debtor={fine && (fine.name ?? nameOf(fine.uid, log))}
              isOpen={open.includes(one)}
              isAsking={offersChoices(one, acts)}
              undo={change === null ? undefined : acts.get(`undo ${change}`)}
              actions={guarded}
            />
          )
        })}
      </ol>
    </section>
  )
})

type RowProps = {
  entry: LogEntry
  /** Open amount of the entry's fine. */
  fine: number | null
  /** Name of the reader who owes the fine. */
  debtor: string | null
  isOpen: boolean
  isAsking: boolean
  undo: 'sent' | 'done' | undefined
  actions: EntryActions
}

/** Row of an entry; memoised, so that a scan renders one row, however long the list is. */
const Row = memo(function Row({ entry, fine, debtor, isOpen, isAsking, undo, actions }: RowProps) {
  const Icon = answerIcons[classOf(entry)]
  const change = changeOf(entry)
  const [headline] = messagesOf(entry)
  const place = placeOf(entry)
  const counted = countedOn(entry)
  const { outcome } = entry
  const hold = outcome.kind === 'answered' && isOpen && outcome.answer.hold?.state === 'ready' && outcome.answer.hold
  const namesCode = outcome.kind === 'failed' || outcome.kind === 'set-aside'
  return (
    <li data-class={classOf(entry)} data-open={isOpen || undefined}>
      <Icon data-size="18" aria-hidden />
      <div className={classes.row}>
        {place !== '' && <strong dir="auto">{place}</strong>}{' '}
        <span dir="auto">{namesCode ? `${entry.label}: ${headline}` : headline}</span>{' '}
        <span className={classes.barcode}>{barcodeOf(entry)}</span>
        {counted !== null && <div className={classes.counted}>{counted}</div>}
        {(isOpen || isAsking) && (
          <div className={classes.open}>
            {hold && (
              <>
                <Reader uid={hold.userId} name={hold.userName} />
                <PrintSlip hold={hold} />
              </>
            )}
            {fine !== null && <Money fine={fine} debtor={debtor} entry={entry} actions={actions} />}
            {isAsking && <Act words={t('desk.screen.choose')} onPress={() => actions.show(entry)} />}
            {outcome.kind === 'failed' && <Act words={t('outbox.tryAgain')} onPress={() => actions.again(entry)} />}
            {isOpen && <Act words={labelToClose(outcome.kind, fine)} isQuiet onPress={() => actions.setAside(entry)} />}
          </div>
        )}
      </div>
      {change !== null && <Undo change={change} state={undo} what={headline ?? ''} act={actions.act} />}
    </li>
  )
})

/** Returns the label of the button that closes an open entry. */
function labelToClose(kind: LogEntry['outcome']['kind'], fine: number | null): string {
  if (kind === 'set-aside') return t('desk.screen.checked')
  return fine === null ? t('outbox.setAside') : t('desk.screen.later')
}

type MoneyProps = { fine: number; debtor: string | null; entry: LogEntry; actions: EntryActions }

function Money({ fine, debtor, entry, actions }: MoneyProps) {
  const { outcome } = entry
  const answer = outcome.kind === 'answered' ? outcome.answer : null
  const [id, uid] = [answer?.charge?.id, answer?.charged]
  if (id === undefined || typeof uid !== 'number') return null
  const label = t('desk.screen.take', { amount: fine })
  const fines = { uid, name: debtor, charges: [{ id, open: fine }] }
  return (
    <>
      {debtor !== null && <Reader uid={uid} name={debtor} />}
      <Act words={label} onPress={() => actions.act(label, { kind: 'pay', fines, amount: fine, method: 'cash' })} />
      <Act words={t('desk.screen.more')} onPress={() => actions.show(entry)} />
    </>
  )
}

/** Link to the page of the reader with whom an entry is to be settled (L2). */
function Reader({ uid, name }: { uid: number; name: string }) {
  return (
    <Anchor component={Link} to={paths.person(uid)} fz="inherit" dir="auto">
      {name}
    </Anchor>
  )
}

function Act({ words, isQuiet = false, onPress }: { words: string; isQuiet?: boolean; onPress: () => void }) {
  return (
    <Button variant={isQuiet ? 'subtle' : 'default'} size="compact-sm" h={34} onClick={onPress}>
      {words}
    </Button>
  )
}
