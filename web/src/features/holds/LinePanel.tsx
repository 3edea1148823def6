import { Alert, Anchor, Button, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { Link } from 'react-router'
import { useAction } from '../../api/action'
import { cancelHoldsOfBook, lineQuery, placeHold } from '../../api/holds'
import type { BookDetail, Hold } from '../../api/types'
import { t } from '../../lib/messages'
import { paths } from '../../screens'
import { messageOf } from '../../lib/problem'
import { DateText } from '../../ui/Facts'
import { ListState } from '../../ui/ListState'
import { ResponsiveTable } from '../../ui/ResponsiveTable'
import { FindPerson } from '../find'
import { CancelHold } from './CancelHold'
import classes from './Holds.module.css'
import { MoveInLine } from './MoveInLine'
import { PrintSlip } from './PrintSlip'
import { Standing } from './Standing'

/** Queue of a title, on the librarian's page of the book, with a form to reserve for a reader if no copy is free. */
export function LinePanel({ book }: { book: BookDetail }) {
  const { offered, fillable, waiting } = book.reservation
  const query = useQuery(lineQuery(book.id))
  const heading = useRef<HTMLHeadingElement>(null)
  const line = query.data?.holds ?? []
  const isOnShelf = book.noOfBooks > 0
  if (!offered && !isOnShelf && line.length === 0 && !query.isError) return null
  return (
    <section className={classes.panel} aria-labelledby="line">
      <Title order={2} id="line" tabIndex={-1} ref={heading}>
        {t('holds.line.title')}
      </Title>
      <ListState query={query} lines={2}>
        {({ holds }) =>
          holds.length === 0 ? (
            <p className={classes.hint}>{t('holds.line.none')}</p>
          ) : (
            <Line holds={holds} whenGone={() => heading.current?.focus()} />
          )
        }
      </ListState>
      {!fillable && waiting > 0 && <Unfillable book={book} />}
      {offered ? <ReserveFor book={book} /> : isOnShelf && <p className={classes.hint}>{t('holds.line.onShelf')}</p>}
    </section>
  )
}

/** Warns that no copy can fill the reservations, with two remedies: to buy a copy, or to cancel them all. */
function Unfillable({ book }: { book: BookDetail }) {
  const { waiting } = book.reservation
  const cancel = useAction(cancelHoldsOfBook, { done: ({ count }) => t('holds.unfillable.done', { count }) })
  return (
    <Alert color="yellow" title={t('holds.unfillable.title')} mt="md">
      <p className={classes.hint}>{t('holds.unfillable.what', { waiting })}</p>
      {cancel.error !== null && <p role="alert">{messageOf(cancel.error)}</p>}
      <Button
        variant="default"
        size="compact-md"
        loading={cancel.pending}
        onClick={() => void cancel.run({ bookId: book.id, reason: t('holds.unfillable.reason') })}
      >
        {t('holds.unfillable.cancel', { waiting })}
      </Button>
    </Alert>
  )
}

function Line({ holds, whenGone }: { holds: readonly Hold[]; whenGone: () => void }) {
  const [moving, setMoving] = useState<Hold | null>(null)
  return (
    <>
      <ResponsiveTable
        label={t('holds.line.title')}
        cardsUpTo="62em"
        rows={holds}
        keyOf={(hold) => hold.id}
        columns={[
          { title: t('holds.column.reader'), cell: (hold) => <Reader hold={hold} /> },
          { title: t('holds.column.state'), cell: (hold) => <Standing hold={hold} /> },
          { title: t('holds.column.since'), cell: (hold) => <DateText day={hold.placedAt} /> },
          {
            title: t('loans.column.actions'),
            bare: true,
            cell: (hold) => (
              <div className={classes.actions}>
                {hold.state === 'ready' ? (
                  <PrintSlip hold={hold} />
                ) : (
                  hold.waiting > 1 && (
                    <Button
                      variant="default"
                      size="compact-sm"
                      h={34}
                      aria-label={t('holds.move.named', { name: hold.userName })}
                      onClick={() => setMoving(hold)}
                    >
                      {t('holds.move')}
                    </Button>
                  )
                )}
                <CancelHold hold={hold} named size="compact-sm" h={34} variant="subtle" whenGone={whenGone} />
              </div>
            ),
          },
        ]}
      />
      {moving && <MoveInLine hold={moving} onClose={() => setMoving(null)} />}
    </>
  )
}

/** Name of the reader, linked to the person's page. */
export function Reader({ hold }: { hold: Hold }) {
  return (
    <>
      <Anchor component={Link} to={paths.person(hold.userId)} underline="hover" c="inherit" fz="inherit" dir="auto">
        {hold.userName}
      </Anchor>
      {hold.rollNumber !== null && (
        <div className={classes.roll} dir="auto">
          {hold.rollNumber}
        </div>
      )}
    </>
  )
}

/** Form that reserves for a reader, found by name or roll number (typed, or scanned from the card). */
function ReserveFor({ book }: { book: BookDetail }) {
  const place = useAction(placeHold, {
    done: ({ userName, place: at }) => t('holds.placedFor', { name: userName, place: at ?? 1 }),
  })
  return (
    <div className={classes.reserveFor}>
      <FindPerson
        label={t('holds.reserveFor')}
        pending={place.pending}
        onChoose={async ({ uid }) => (await place.run({ bookId: book.id, person: uid })).ok}
      />
      {place.error !== null && (
        <Alert color="red" role="alert" mt="sm">
          {messageOf(place.error)}
        </Alert>
      )}
    </div>
  )
}
