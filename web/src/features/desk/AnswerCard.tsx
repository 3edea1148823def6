import { Anchor, Button } from '@mantine/core'
import { useEffect } from 'react'
import { Link } from 'react-router'
import type { Offered as Choice } from '../../api/types'
import { offersOf, type Offer } from '../../counter/offers'
import type { OnSettle, Request, Told } from '../../counter/queue'
import { classOf, messagesOf, wordsOf } from '../../counter/words'
import { t } from '../../lib/messages'
import { paths } from '../../screens'
import { classIcons } from '../../ui/classIcons'
import { stateText } from '../copies'
import { PrintSlip } from '../holds'
import classes from './Desk.module.css'
import { Anyway } from './Anyway'
import { Damaged } from './Damaged'
import { Fine } from './Fine'
import { Found } from './Found'
import { Printed } from './Printed'
import { Undo } from './Undo'
import { Unknown } from './Unknown'

type AnswerCardProps = {
  told: Told
  undone: ReadonlySet<number>
  onChoose: (request: Request) => void
  onSettle: OnSettle
}

/** What the newest scan did, large: in colour, words and a sign (R-DESK-4). */
export function AnswerCard({ told, undone, onChoose, onSettle }: AnswerCardProps) {
  const kind = classOf(told)
  const Icon = classIcons[kind]
  const [headline, ...rest] = messagesOf(told)
  const namesCode = told.outcome.kind === 'failed' || told.outcome.kind === 'bounced'

  return (
    <article className={classes.answer} data-class={kind}>
      <Icon className={classes.sign} aria-hidden />
      <div className={classes.words}>
        <h2 className={classes.headline} dir="auto">
          {headline}
        </h2>
        {namesCode && (
          <p className="tabular" dir="auto">
            {told.label}
          </p>
        )}
        {rest.map((words) => (
          <p key={words} dir="auto">
            {words}
          </p>
        ))}
        {offersOf(told).map((offer) => (
          <Offered key={offer.kind} offer={offer} undone={undone} onChoose={onChoose} onSettle={onSettle} />
        ))}
      </div>
    </article>
  )
}

type OfferedProps = Omit<AnswerCardProps, 'told'> & { offer: Offer }

function Offered({ offer, undone, onChoose, onSettle }: OfferedProps) {
  switch (offer.kind) {
    case 'slip':
      return <PrintSlip hold={offer.hold} />
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
      return (
        <Choices choices={offer.choices} onChoose={(choice) => onChoose({ ...offer.request, choice: choice.id })} />
      )
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
          keptFor={offer.keptFor}
          onGiven={(reason, cancelHold) =>
            onChoose({ ...offer.request, override: { reason, blocks: [...offer.blocks], cancelHold } })
          }
        />
      )
    case 'fine':
      return <Fine charge={offer.charge} uid={offer.uid} onSettle={onSettle} />
    case 'receipt':
      return <Printed receipt={offer.receipt} />
    case 'found':
      return <Found lost={offer.lost} />
    case 'damaged':
      return <Damaged copy={offer.copy} onGiven={(damaged) => onChoose({ code: offer.copy.barcode, damaged })} />
    case 'undo':
      return <Undo change={offer.change} isDone={undone.has(offer.change)} keyed onSettle={onSettle} />
  }
}

/** Alt and a number choose without leaving the box: a scanner never types these. */
function Choices({ choices, onChoose }: { choices: readonly Choice[]; onChoose: (choice: Choice) => void }) {
  useEffect(() => {
    function onKey(event: KeyboardEvent) {
      if (!event.altKey || event.ctrlKey || event.metaKey) return
      const chosen = choices[Number(/^(?:Digit|Numpad)([1-9])$/.exec(event.code)?.[1]) - 1]
      if (!chosen) return
      event.preventDefault()
      onChoose(chosen)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [choices, onChoose])

  return (
    <ol className={classes.choices}>
      {choices.map((choice, index) => (
        <li key={choice.id}>
          <Button
            variant="default"
            className={classes.choice}
            aria-keyshortcuts={index < 9 ? `Alt+${index + 1}` : undefined}
            onClick={() => onChoose(choice)}
          >
            {index < 9 && <kbd className={classes.key}>{t('desk.screen.key', { n: index + 1 })}</kbd>}
            <span dir="auto">{wordsOf(choice.message)}</span>
            {choice.copy && <CopyFacts copy={choice.copy} />}
          </Button>
        </li>
      ))}
    </ol>
  )
}

function CopyFacts({ copy }: { copy: NonNullable<Choice['copy']> }) {
  const facts = [stateText(copy.state), copy.loan?.userName, copy.location].filter(Boolean)
  return (
    <span className={classes.facts} dir="auto">
      {facts.join(' · ')}
    </span>
  )
}
