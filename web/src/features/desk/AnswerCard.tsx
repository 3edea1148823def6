import { Anchor, Button } from '@mantine/core'
import { useEffect } from 'react'
import { Link } from 'react-router'
import type { Copy, Offered } from '../../api/types'
import { t } from '../../lib/messages'
import { paths } from '../../lib/paths'
import { classIcons } from '../../ui/classIcons'
import { stateText } from '../copies'
import { PrintSlip } from '../holds'
import classes from './Desk.module.css'
import { Anyway } from './Anyway'
import { Damaged } from './Damaged'
import type { OnSettle, Request, Told } from './desk'
import { Fine } from './Fine'
import { Found } from './Found'
import { Printed } from './Printed'
import { Undo } from './Undo'
import { Unknown } from './Unknown'
import { answerOf, changeOf, classOf, messagesOf, wordsOf } from './words'

/** Where a copy that came back cannot be told to be damaged: it is in repair already, or its title is deleted. */
const OUT_OF_USE: ReadonlySet<Copy['state']> = new Set(['in-repair', 'withdrawn'])

type AnswerCardProps = {
  told: Told
  undone: ReadonlySet<number>
  onChoose: (request: Request) => void
  onSettle: OnSettle
}

/** What the newest scan did, large: in colour, words and a sign (R-DESK-4). */
export function AnswerCard({ told, undone, onChoose, onSettle }: AnswerCardProps) {
  const answer = answerOf(told)
  const kind = classOf(told)
  const Icon = classIcons[kind]
  const [headline, ...rest] = messagesOf(told)
  const change = changeOf(told)
  const request: Request = told.outcome.kind === 'answered' ? told.outcome.request : { code: told.label }

  return (
    <article className={classes.answer} data-class={kind}>
      <Icon className={classes.sign} aria-hidden />
      <div className={classes.words}>
        <h2 className={classes.headline} dir="auto">
          {headline}
        </h2>
        {!answer && told.outcome.kind !== 'settled' && (
          <p className="tabular" dir="auto">
            {told.label}
          </p>
        )}
        {rest.map((words) => (
          <p key={words} dir="auto">
            {words}
          </p>
        ))}
        {answer?.hold?.state === 'ready' && <PrintSlip hold={answer.hold} />}
        {answer && answer.explain.length > 0 && (
          <details className={classes.why}>
            <summary>{t('desk.screen.why')}</summary>
            <ul>
              {answer.explain.map((message) => (
                <li key={message.text}>{wordsOf(message)}</li>
              ))}
            </ul>
          </details>
        )}
        {answer?.outcome === 'unknown' && <Unknown code={request.code} />}
        {answer && answer.choices.length > 0 && (
          <Choices choices={answer.choices} onChoose={(choice) => onChoose({ ...request, choice: choice.id })} />
        )}
        {answer?.messages.some(({ code }) => code === 'desk.morePeople') && (
          <Anchor component={Link} to={`${paths.people()}?q=${encodeURIComponent(request.code)}`}>
            {t('desk.screen.allPeople')}
          </Anchor>
        )}
        {answer && answer.blocks.length > 0 && answer.blocks.every(({ overridable }) => overridable) && (
          <Anyway
            label={request.intent === 'renew' ? t('desk.screen.extendAnyway') : t('desk.screen.lendAnyway')}
            keptFor={answer.copy?.hold?.userName}
            onGiven={(reason, cancelHold) =>
              onChoose({ ...request, override: { reason, blocks: answer.blocks.map(({ id }) => id), cancelHold } })
            }
          />
        )}
        {/* Who brought a book to the book drop is not there to pay. */}
        {answer?.charge &&
          request.returnedOn === undefined &&
          answer.charged !== undefined &&
          answer.charged !== null && <Fine charge={answer.charge} uid={answer.charged} onSettle={onSettle} />}
        {told.outcome.kind === 'settled' && told.outcome.settled.receipt && (
          <Printed receipt={told.outcome.settled.receipt} />
        )}
        {answer?.lost && <Found lost={answer.lost} />}
        {answer?.outcome === 'returned' && answer.copy && !OUT_OF_USE.has(answer.copy.state) && (
          <Damaged
            copy={answer.copy}
            onGiven={(damaged) => onChoose({ code: answer.copy?.barcode ?? request.code, damaged })}
          />
        )}
        {change !== null && <Undo change={change} isDone={undone.has(change)} keyed onSettle={onSettle} />}
      </div>
    </article>
  )
}

/** Alt and a number choose without leaving the box: a scanner never types these. */
function Choices({ choices, onChoose }: { choices: readonly Offered[]; onChoose: (choice: Offered) => void }) {
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

function CopyFacts({ copy }: { copy: NonNullable<Offered['copy']> }) {
  const facts = [stateText(copy.state), copy.loan?.userName, copy.location].filter(Boolean)
  return (
    <span className={classes.facts} dir="auto">
      {facts.join(' · ')}
    </span>
  )
}
