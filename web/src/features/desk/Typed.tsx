import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState, type RefObject } from 'react'
import { bookHitsQuery } from '../../api/books'
import { peopleHitsQuery } from '../../api/people'
import { t } from '../../lib/messages'
import classes from './Desk.module.css'
import { stepThrough } from './stepThrough'

/**
 * Pause in typing after which the text is searched, milliseconds; a scanner has finished and emptied the box by then.
 */
const QUIET_MS = 200
const ROWS = 6

type TypedProps = {
  box: RefObject<HTMLInputElement | null>
  /** Called with the typed text and the chosen reader or title. */
  onChoose: (text: string, choice: string) => void
}

/** Suggests readers and titles for the text in the box while it is typed, readers first. */
export function Typed({ box, onChoose }: TypedProps) {
  const text = useTyped(box)
  const list = useRef<HTMLUListElement>(null)
  const isOn = text.length > 1 && /\p{L}/u.test(text)
  const people = useQuery({ ...peopleHitsQuery(text), enabled: isOn }).data ?? []
  const books = useQuery({ ...bookHitsQuery(text), enabled: isOn }).data?.books ?? []
  const rows = [
    ...people.map(({ uid, name, rollNumber, department, batch }) => ({
      choice: `person:${uid}`,
      name,
      facts: [rollNumber?.toUpperCase(), department, batch],
    })),
    ...books.map(({ id, title, author }) => ({ choice: `book:${id}`, name: title, facts: [author] })),
  ].slice(0, ROWS)

  useEffect(() => {
    function onKey(event: KeyboardEvent) {
      const { target } = event
      if (!list.current || !(target === box.current || (target instanceof Node && list.current.contains(target))))
        return
      if (stepThrough(event, list.current) || event.key !== 'ArrowUp') return
      event.preventDefault()
      box.current?.focus()
    }
    addEventListener('keydown', onKey, true)
    return () => removeEventListener('keydown', onKey, true)
  }, [box])

  if (!isOn || rows.length === 0) return null
  return (
    <ul ref={list} className={classes.typed} aria-label={t('desk.screen.typed')}>
      {rows.map(({ choice, name, facts }) => (
        <li key={choice}>
          <Button variant="subtle" className={classes.choice} onClick={() => onChoose(text, choice)}>
            <span dir="auto">{name}</span>
            <span className={classes.facts} dir="auto">
              {facts.filter(Boolean).join(' · ')}
            </span>
          </Button>
        </li>
      ))}
    </ul>
  )
}

/** Returns the text of the box once typing has paused. */
function useTyped(box: RefObject<HTMLInputElement | null>): string {
  const [text, setText] = useState('')
  useEffect(() => {
    const input = box.current
    let quiet: ReturnType<typeof setTimeout> | undefined
    function onInput() {
      clearTimeout(quiet)
      const typed = input?.value.trim() ?? ''
      if (typed === '') setText('')
      else quiet = setTimeout(() => setText(typed), QUIET_MS)
    }
    input?.addEventListener('input', onInput)
    return () => {
      clearTimeout(quiet)
      input?.removeEventListener('input', onInput)
    }
  }, [box])
  return text
}
