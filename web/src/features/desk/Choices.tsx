import { Button } from '@mantine/core'
import { useEffect, useRef } from 'react'
import type { Offered as Choice } from '../../api/types'
import { wordsOf } from '../../counter/words'
import { isAlt, showsKeys } from '../../lib/altKey'
import { t } from '../../lib/messages'
import { stateText } from '../copies'
import classes from './Desk.module.css'
import { stepThrough } from './stepThrough'

/** Time after a list appears in which Enter is ignored, milliseconds: some scanners send two line ends. */
const SETTLE_MS = 300
/** Time for which a typed digit must stay alone to count as a choice, milliseconds: a scanner types its next key sooner. */
const ALONE_MS = 400

/**
 * True if a choice only opens a reader or a title. Other choices change something, so Enter alone must not take them.
 */
const isHarmless = ({ id }: Choice): boolean => /^(?:person|book):/.test(id)

type ChoicesProps = { choices: readonly Choice[]; onChoose: (choice: Choice) => void }

/**
 * Choices of a question, taken with arrow keys and Enter, or with Alt and a digit. If all choices are readers or
 * titles, Enter in the empty box takes the first one, and a digit alone takes its row.
 */
export function Choices({ choices, onChoose }: ChoicesProps) {
  const list = useRef<HTMLOListElement>(null)
  const isList = choices.every(isHarmless)

  useEffect(() => {
    const shownAt = performance.now()
    let alone: ReturnType<typeof setTimeout> | undefined
    function onKey(event: KeyboardEvent) {
      clearTimeout(alone)
      if (event.ctrlKey || event.metaKey || event.defaultPrevented) return
      const at = choices.findIndex((_, n) => n < 9 && (isAlt(event, `Digit${n + 1}`) || isAlt(event, `Numpad${n + 1}`)))
      const chosen = choices[at]
      if (chosen) {
        event.preventDefault()
        onChoose(chosen)
        return
      }
      if (event.altKey || !list.current) return
      if (event.target instanceof HTMLInputElement && !isBox(event.target)) return
      if (stepThrough(event, list.current)) return
      if (!isList || !isBox(event.target)) return
      const box = event.target
      const [first] = choices
      if (event.key === 'Enter' && box.value === '' && first && performance.now() - shownAt > SETTLE_MS) {
        event.preventDefault()
        onChoose(first)
      }
      const row = choices[Number(event.key) - 1]
      if (!/^[1-9]$/.test(event.key) || box.value !== '' || !row) return
      alone = setTimeout(() => {
        if (box.value !== event.key) return
        box.value = ''
        onChoose(row)
      }, ALONE_MS)
    }
    addEventListener('keydown', onKey)
    return () => {
      clearTimeout(alone)
      removeEventListener('keydown', onKey)
    }
  }, [choices, isList, onChoose])

  return (
    <ol ref={list} className={classes.choices} data-list={isList || undefined}>
      {choices.map((choice, index) => (
        <li key={choice.id}>
          <Button
            variant="default"
            className={classes.choice}
            aria-keyshortcuts={index < 9 ? `Alt+${index + 1}` : undefined}
            onClick={() => onChoose(choice)}
          >
            {index < 9 && (
              <kbd className={classes.key}>
                {isList || !showsKeys()
                  ? t('desk.screen.digit', { n: index + 1 })
                  : t('desk.screen.key', { n: index + 1 })}
              </kbd>
            )}
            <span dir="auto">{wordsOf(choice.message)}</span>
            {choice.copy && <CopyFacts copy={choice.copy} />}
          </Button>
        </li>
      ))}
    </ol>
  )
}

/** True for the scan box, the only search field of the desk. */
const isBox = (target: EventTarget | null): target is HTMLInputElement =>
  target instanceof HTMLInputElement && target.inputMode === 'search'

function CopyFacts({ copy }: { copy: NonNullable<Choice['copy']> }) {
  const facts = [stateText(copy.state), copy.loan?.userName, copy.location].filter(Boolean)
  return (
    <span className={classes.facts} dir="auto">
      {facts.join(' · ')}
    </span>
  )
}
