import { Anchor, Button } from '@mantine/core'
import { memo } from 'react'
import { Link } from 'react-router'
import { offersOf, type Offer } from '../../counter/offers'
import type { Acts } from '../../counter/acts'
import type { EntryActions } from '../../counter/queue'
import type { Request, LogEntry } from '../../counter/tasks'
import { barcodeOf, classOf, messagesOf, nextOf, wordsOf } from '../../counter/words'
import { t } from '../../lib/messages'
import { paths } from '../../screens'
import { answerIcons } from '../../ui/answerIcons'
import { PrintSlip } from '../holds'
import { PrintReceipt } from '../money'
import classes from './Desk.module.css'
import { AddCopy } from './AddCopy'
import { Anyway } from './Anyway'
import { Choices } from './Choices'
import { Damaged } from './Damaged'
import { Fine, SumOfFines } from './Fine'
import { Found } from './Found'
import { Undo } from './Undo'
import { Unknown } from './Unknown'

type AnswerCardProps = {
  entry: LogEntry
  acts: Acts
  actions: EntryActions
  /** True while a later task is under way and unanswered. */
  isBehind: boolean
  /** True if Alt+T takes the fine of this answer. */
  takesByKey: boolean
}

/** Result of the newest scan in large text, with a colour and an icon (R-DESK-4). */
export const AnswerCard = memo(function AnswerCard({ entry, acts, actions, isBehind, takesByKey }: AnswerCardProps) {
  const kind = classOf(entry)
  const Icon = answerIcons[kind]
  const [next, told] = [nextOf(entry), messagesOf(entry)]
  const [large, small] = next.length > 0 ? [next, told] : [told.slice(0, 1), told.slice(1)]
  const namesCode = entry.outcome.kind === 'failed' || entry.outcome.kind === 'set-aside'
  const code = namesCode ? entry.label : barcodeOf(entry)
  const offers = offersOf(entry, acts)
  const shown = (wanted: readonly Offer[]) =>
    wanted.map((offer) => (
      <Offered key={offer.kind} entry={entry} offer={offer} acts={acts} actions={actions} takesByKey={takesByKey} />
    ))

  return (
    <article className={classes.answer} data-class={kind} data-behind={isBehind || undefined}>
      <Icon className={classes.sign} aria-hidden />
      <div className={classes.words}>
        <h2 className={classes.headline}>
          {large.map((words) => (
            <span key={words} dir="auto">
              {words}{' '}
            </span>
          ))}
        </h2>
        {small.map((words) => (
          <p key={words} dir="auto">
            {words}
          </p>
        ))}
        {code !== undefined && (
          <p className="tabular" dir="auto">
            {code}
          </p>
        )}
        {shown(offers.filter(({ kind: offered }) => !BUTTONS.has(offered)))}
        <div className={classes.buttons}>{shown(offers.filter(({ kind: offered }) => BUTTONS.has(offered)))}</div>
      </div>
    </article>
  )
})

/** Offers that are a single button; they share a line. */
const BUTTONS: ReadonlySet<Offer['kind']> = new Set(['slip', 'receipt', 'found', 'damaged', 'undo'])

type OfferedProps = Omit<AnswerCardProps, 'isBehind'> & { offer: Offer }

function Offered({ entry, offer, acts, actions, takesByKey }: OfferedProps) {
  const ask = (request: Request) => actions.act(request.code, { kind: 'scan', request, card: entry.id })
  switch (offer.kind) {
    case 'slip':
      return <PrintSlip hold={offer.hold} answer={entry.id} />
    case 'why':
      return (
        <details className={classes.why}>
          <summary>{t('desk.screen.why')}</summary>
          <ul>
            {offer.messages.map((message) => (
              <li key={message.text}>{wordsOf(message)}</li>
            ))}
          </ul>
        </details>
      )
    case 'unknown':
      return <Unknown code={offer.code} />
    case 'choices':
      return <Choices choices={offer.choices} onChoose={(choice) => ask({ ...offer.request, choice: choice.id })} />
    case 'add-copy':
      return <AddCopy book={offer.book} />
    case 'all-people':
      return (
        <Anchor component={Link} to={`${paths.people()}?q=${encodeURIComponent(offer.query)}`}>
          {t('desk.screen.allPeople')}
        </Anchor>
      )
    case 'override':
      return (
        <Anyway
          label={offer.request.intent === 'renew' ? t('desk.screen.extendAnyway') : t('desk.screen.lendAnyway')}
          decision="override"
          keyed={!offersOf(entry, acts).some(({ kind }) => kind === 'choices')}
          keptFor={offer.keptFor}
          onGiven={(reason, cancelHold) =>
            ask({ ...offer.request, override: { reason, blocks: [...offer.blocks], cancelHold } })
          }
        />
      )
    case 'fine':
      return <Fine key={offer.fine.open} fine={offer.fine} actions={actions} keyed={takesByKey} />
    case 'lost':
      return <SumOfFines name={offer.charges[0]?.name ?? null} fines={offer.charges} actions={actions} />
    case 'receipt':
      return <PrintReceipt number={offer.receipt.number} keyed />
    case 'found':
      return <Found lost={offer.lost} />
    case 'damaged':
      return <Damaged copy={offer.copy} onGiven={(damaged) => ask({ code: offer.copy.barcode, damaged })} />
    case 'again':
      return (
        <div className={classes.ways}>
          <Button variant="default" onClick={() => actions.again(entry)}>
            {t('outbox.tryAgain')}
          </Button>
          <Button variant="subtle" onClick={() => actions.setAside(entry)}>
            {t('outbox.setAside')}
          </Button>
        </div>
      )
    case 'checked':
      return (
        <div className={classes.ways}>
          <Button variant="default" onClick={() => actions.setAside(entry)}>
            {t('desk.screen.checked')}
          </Button>
        </div>
      )
    case 'undo':
      return (
        <Undo
          change={offer.change}
          state={acts.get(`undo ${offer.change}`)}
          what={messagesOf(entry)[0] ?? ''}
          act={actions.act}
          keyed
        />
      )
  }
}
