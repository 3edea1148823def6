import type { ReactNode } from 'react'
import { Link, useSearchParams } from 'react-router'
import type { Change } from '../../api/types'
import { timeText } from '../../lib/format'
import { rich, translateMessage, t } from '../../lib/messages'
import { paths } from '../../screens'
import classes from './ActivityScreen.module.css'
import { differences } from './differences'
import { UndoChange } from './UndoChange'

type ChangeItemProps = {
  change: Change
  timeZone: string
  /** True if names filter the list; otherwise they link to their own pages. */
  narrows?: true
}

/** One change, with its undo button while it can be undone (R-UNDO-1). */
export function ChangeItem({ change, timeZone, narrows }: ChangeItemProps) {
  const { at, actor, person, book, messages, forgotten } = change
  return (
    <li className={classes.change} data-undone={change.undone || undefined}>
      <time dateTime={at} className={`tabular ${classes.time}`}>
        {timeText(at, timeZone)}
      </time>
      <div className={classes.what}>
        <span dir="auto">{messages.map(translateMessage).join(' ')}</span>
        <div className={classes.who}>
          <span dir="auto">
            {rich('activity.by', {
              name: actor?.name ?? t(forgotten ? 'activity.forgotten' : 'activity.program'),
              link: (words) => (actor && narrows ? <Only id={actor.id} words={words} /> : words),
            })}
          </span>
          {person && person.id !== actor?.id && (
            <span dir="auto">
              {rich('activity.concerns', {
                name: person.name,
                link: (words) =>
                  narrows ? <Only id={person.id} words={words} /> : <Link to={paths.person(person.id)}>{words}</Link>,
              })}
            </span>
          )}
          {book && book.name !== '' && (
            <Link to={paths.bookDetail(book.id)} aria-label={t('activity.openBookNamed', { title: book.name })}>
              {t('activity.openBook')}
            </Link>
          )}
          <UndoChange change={change} />
        </div>
        <Differences change={change} />
      </div>
    </li>
  )
}

/** Collapsible list of changed values. */
function Differences({ change }: { change: Change }) {
  const all = differences(change.action, change.change)
  if (all.length === 0) return null
  return (
    <details className={classes.differences}>
      <summary>{t('activity.differences')}</summary>
      <ul>
        {all.map(({ place, name, before, after }) => (
          <li key={place} dir="auto">
            {t('activity.difference', { name, before, after })}
          </li>
        ))}
      </ul>
    </details>
  )
}

/** Filters the list by one person. */
function Only({ id, words }: { id: number; words: ReactNode }) {
  const [params] = useSearchParams()
  const after = new URLSearchParams(params)
  // The list is filtered by this person already.
  if (after.get('person') === String(id)) return words
  after.set('person', String(id))
  return <Link to={{ search: after.toString() }}>{words}</Link>
}
