import { Anchor, Badge, Button } from '@mantine/core'
import { BookmarkCheck, TriangleAlert, UserRound } from 'lucide-react'
import { memo } from 'react'
import { Link } from 'react-router'
import type { DeskReader } from '../../api/types'
import type { Open } from '../../counter/queue'
import type { Mode } from '../../counter/tasks'
import { photoOf } from '../../lib/photoOf'
import { t, translate } from '../../lib/messages'
import { paths } from '../../screens'
import { TakeMoney } from '../money'
import classes from './Desk.module.css'

type PersonStripProps = {
  open: Open | null
  mode: Mode | null
  /** Called when money may have been taken. */
  onSettled: () => void
  onClose: () => void
}

/** Strip of the open reader, always visible (R-DESK-3): loans, dues, and reasons against lending. */
export const PersonStrip = memo(function PersonStrip({ open, mode, onSettled, onClose }: PersonStripProps) {
  if (!open) {
    return (
      <section className={classes.strip} aria-label={t('desk.screen.nobody')}>
        <UserRound aria-hidden />
        <div>
          <p className={classes.nobody}>{t('desk.screen.nobody')}</p>
          <p className={classes.hint}>{t(hintOf(mode))}</p>
        </div>
      </section>
    )
  }
  const photo = open.reader && photoOf(open.reader)
  return (
    <section className={classes.strip} data-open aria-label={t('desk.screen.openFor', { name: open.name })}>
      {photo ? <img className={classes.face} src={photo} alt="" /> : <UserRound aria-hidden />}
      <div className={classes.person}>
        <p className={classes.name} dir="auto">
          <Anchor component={Link} to={paths.person(open.uid)} underline="hover" c="inherit" fz="inherit" fw="inherit">
            {open.name}
          </Anchor>
        </p>
        {open.reader && <ReaderFacts reader={open.reader} onSettled={onSettled} />}
      </div>
      <Button variant="default" onClick={onClose}>
        {t('desk.screen.close')}
      </Button>
    </section>
  )
})

/** Returns the hint on what a scanned book does while no reader is open. */
function hintOf(mode: Mode | null) {
  if (mode?.kind === 'drop') return 'desk.screen.dropHint'
  return mode?.kind === 'renew' ? 'desk.screen.renewHint' : 'desk.screen.nobodyHint'
}

/** Loans and dues of the open reader; after a page reload they arrive with the server's next answer. */
function ReaderFacts({ reader, onSettled }: { reader: DeskReader; onSettled: () => void }) {
  const { maxLoans, openLoans: out } = reader
  return (
    <>
      <p className={classes.hint} dir="auto">
        {[reader.rollNumber?.toUpperCase(), reader.department, reader.batch].filter(Boolean).join(' · ')}
      </p>
      <div className={classes.badges}>
        <Badge size="lg" color="gray">
          {maxLoans === null ? t('desk.screen.outNoLimit', { out }) : t('desk.screen.out', { out, max: maxLoans })}
        </Badge>
        {reader.overdueLoans > 0 && (
          <Badge size="lg" color="red">
            {t('desk.screen.overdue', { count: reader.overdueLoans })}
          </Badge>
        )}
        {reader.owes > 0 && (
          <Badge size="xl" color="red">
            {t('desk.screen.owes', { amount: reader.owes })}
          </Badge>
        )}
        {reader.balance > 0 && <TakeMoney uid={reader.uid} name={reader.name} onClosed={onSettled} />}
      </div>
      {reader.blocks.map((block) => (
        <p key={block.id} className={classes.block} dir="auto">
          <TriangleAlert data-size="18" aria-hidden /> {translate(block.code, block.facts, block.text)}
        </p>
      ))}
      {reader.ready.map((hold) => (
        <p key={hold.id} className={classes.ready} dir="auto">
          <BookmarkCheck data-size="18" aria-hidden />{' '}
          {t('desk.screen.ready', { title: hold.title, barcode: hold.barcode ?? '' })}
        </p>
      ))}
    </>
  )
}
