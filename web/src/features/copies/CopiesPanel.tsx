import { Anchor, Button, Title } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { useMay } from '../../api/account'
import { useAction } from '../../api/action'
import { copiesQuery, moveCopy } from '../../api/copies'
import type { BookDetail, Copy, LostPrice, StateCount } from '../../api/types'
import { t } from '../../lib/messages'
import { paths } from '../../screens'
import { ShowMore } from '../../ui/ShowMore'
import { DateText } from '../../ui/Facts'
import { ListState } from '../../ui/ListState'
import { ResponsiveTable } from '../../ui/ResponsiveTable'
import { AddCopies } from './AddCopies'
import classes from './CopiesPanel.module.css'
import { EditCopy } from './EditCopy'
import { FoundPrice } from '../money'
import { MoveCopy } from './MoveCopy'
import { movedWords, refusedWords, stateText } from './stateText'

type Asked = { kind: 'edit' | 'move'; copy: Copy } | { kind: 'add' }

/** Copies of a title: the state, the borrower and the actions of each (R-COPY-6). */
export function CopiesPanel({ book }: { book: BookDetail }) {
  const query = useInfiniteQuery(copiesQuery(book.id))
  const [asked, setAsked] = useState<Asked | null>(null)
  const [lost, setLost] = useState<LostPrice | null>(null)
  const pages = query.data?.pages
  const copies = pages?.flatMap((page) => page.copies) ?? []
  const owned = copies.filter((copy) => copy.state !== 'withdrawn')
  const withdrawn = copies.filter((copy) => copy.state === 'withdrawn')
  const close = () => setAsked(null)
  const may = useMay('catalogue')

  return (
    <section className={classes.panel} aria-labelledby="copies">
      <div className={classes.head}>
        <Title order={2} id="copies">
          {t('copies.title')}
        </Title>
        {may && (
          <div className={classes.actions}>
            {copies.length > 0 && (
              <Button component={Link} variant="default" to={`${paths.labels()}?book=${book.id}`}>
                {t('copies.labels')}
              </Button>
            )}
            <Button variant="default" onClick={() => setAsked({ kind: 'add' })}>
              {t('copies.add.open')}
            </Button>
          </div>
        )}
      </div>
      {pages?.[0] && <p className={classes.counts}>{countsText(pages[0].counts)}</p>}
      <ListState query={query} lines={3}>
        {() => (
          <>
            {owned.length > 0 ? (
              <Copies copies={owned} label={t('copies.title')} onAsk={setAsked} />
            ) : (
              <p className={classes.counts}>{t('copies.none')}</p>
            )}
            {withdrawn.length > 0 && (
              <details className={classes.withdrawn}>
                <summary>{t('copies.withdrawn', { count: withdrawn.length })}</summary>
                <Copies copies={withdrawn} label={t('copies.withdrawnTable')} onAsk={setAsked} />
              </details>
            )}
            <ShowMore query={query} label={t('copies.more')} />
          </>
        )}
      </ListState>
      {asked?.kind === 'add' && <AddCopies bookId={book.id} onClose={close} />}
      {asked?.kind === 'edit' && <EditCopy copy={asked.copy} titleLocation={book.location} onClose={close} />}
      {asked?.kind === 'move' && <MoveCopy copy={asked.copy} onClose={close} onFound={setLost} />}
      {lost && <FoundPrice lost={lost} onClose={() => setLost(null)} />}
    </section>
  )
}

function countsText(counts: readonly StateCount[]): string {
  return counts.map(({ state, count }) => t('copies.counted', { count, state: stateText(state) })).join(' · ')
}

type CopiesProps = { copies: readonly Copy[]; label: string; onAsk: (asked: Asked) => void }

function Copies({ copies, label, onAsk }: CopiesProps) {
  const mayEdit = useMay('catalogue')
  const mayMove = useMay('desk')
  return (
    <ResponsiveTable
      label={label}
      cardsUpTo="62em"
      rows={copies}
      keyOf={(copy) => copy.id}
      columns={[
        {
          title: t('copies.column.barcode'),
          cell: (copy) => (
            <span className="tabular" dir="auto">
              {copy.barcode}
            </span>
          ),
        },
        { title: t('copies.column.state'), cell: (copy) => <Where copy={copy} /> },
        { title: t('copies.column.location'), cell: (copy) => <span dir="auto">{copy.location}</span> },
        {
          title: t('copies.column.note'),
          cell: (copy) => (
            <span dir="auto" className={classes.note}>
              {copy.note || '–'}
            </span>
          ),
        },
        {
          title: t('copies.column.actions'),
          bare: true,
          cell: (copy) => (
            <div className={classes.actions}>
              {mayMove && copy.state === 'to-shelve' && <PutOnShelf copy={copy} />}
              {mayMove && copy.moves.length > 0 && (
                <Button
                  variant="default"
                  size="compact-sm"
                  h={34}
                  aria-label={t('copies.named', { action: t('copies.move.open'), barcode: copy.barcode })}
                  onClick={() => onAsk({ kind: 'move', copy })}
                >
                  {t('copies.move.open')}
                </Button>
              )}
              {mayEdit && (
                <Button
                  variant="subtle"
                  size="compact-sm"
                  h={34}
                  aria-label={t('copies.named', { action: t('copies.edit.open'), barcode: copy.barcode })}
                  onClick={() => onAsk({ kind: 'edit', copy })}
                >
                  {t('copies.edit.open')}
                </Button>
              )}
            </div>
          ),
        },
      ]}
    />
  )
}

/** State of a copy in words; if it is on loan or kept, also the person and the last day. */
function Where({ copy }: { copy: Copy }) {
  const { loan, hold, state } = copy
  if (hold !== null) {
    return (
      <div>
        <span className={classes.state}>{stateText(state)}</span>
        <div className={classes.holder}>
          <Anchor component={Link} to={paths.person(hold.userId)} dir="auto" fz="inherit">
            {hold.userName}
          </Anchor>
          {', '}
          {t('copies.until')} <DateText day={hold.readyUntil} />
        </div>
      </div>
    )
  }
  if (loan === null) return <span className={classes.state}>{stateText(state)}</span>
  return (
    <div>
      <span className={classes.state}>{stateText(state)}</span>
      <div className={classes.holder}>
        <Anchor component={Link} to={`${paths.fine()}?q=${encodeURIComponent(loan.userName)}`} dir="auto" fz="inherit">
          {loan.userName}
        </Anchor>
        {', '}
        {t('copies.until')} <DateText day={loan.returnDate} />
      </div>
    </div>
  )
}

/** Button for the usual step after a return: puts the copy on the shelf. */
function PutOnShelf({ copy }: { copy: Copy }) {
  const move = useAction(moveCopy, { done: movedWords, failed: refusedWords })
  return (
    <Button
      variant="default"
      size="compact-sm"
      h={34}
      aria-label={t('copies.named', { action: t('copies.shelve'), barcode: copy.barcode })}
      loading={move.pending}
      onClick={() => void move.run({ id: copy.id, state: 'on-shelf' })}
    >
      {t('copies.shelve')}
    </Button>
  )
}
