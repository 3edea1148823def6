import { Button, Text, Title } from '@mantine/core'
import { useEffect, useId, useMemo, useRef } from 'react'
import { labelOf } from '../../../api/validate'
import { t } from '../../../lib/messages'
import classes from './ConflictPanel.module.css'
import type { BookField } from './bookValues'
import { statusText } from '../grid/statusText'
import type { Difference } from './comparison'
import { piecesOf } from './pieces'
import type { BookFormState, Conflict } from './useBookForm'

/** Maximum number of characters shown of a value; the form gets the whole value. */
const MAX_SHOWN = 600

type ConflictPanelProps = { state: BookFormState; pending: boolean; onSave: () => void }

/** Compares another librarian's save with this edit, field by field; a choice is applied to the form at once. */
export function ConflictPanel(props: ConflictPanelProps) {
  const { conflict } = props.state
  // Keyed by version: a further save by another librarian mounts a new panel, which takes the focus again.
  return conflict && <Panel key={conflict.version} {...props} conflict={conflict} />
}

function Panel({ state, conflict, pending, onSave }: ConflictPanelProps & { conflict: Conflict }) {
  const { form } = state
  const heading = useRef<HTMLHeadingElement>(null)
  const name = useId()

  useEffect(() => {
    heading.current?.focus()
  }, [])

  const { differences, cause } = conflict

  function choose(side: 'theirs' | 'yours') {
    for (const difference of differences) form.setFieldValue(difference.field, difference[side])
  }

  return (
    <section className={classes.panel} aria-labelledby={name}>
      <Title order={2} id={name} ref={heading} tabIndex={-1} className={classes.heading}>
        {t(cause === 'saved' ? 'books.edit.conflict.saved' : 'books.edit.conflict.lent')}
      </Title>
      {differences.length === 0 ? (
        <Text mt="xs">{t(cause === 'saved' ? 'books.edit.conflict.sameSaved' : 'books.edit.conflict.sameLent')}</Text>
      ) : (
        <>
          <Text mt="xs" className={classes.lead}>
            {t('books.edit.conflict.choose')}
          </Text>
          <div className={classes.both}>
            <Button variant="default" size="compact-md" onClick={() => choose('theirs')}>
              {t(cause === 'saved' ? 'books.edit.conflict.takeTheirs' : 'books.edit.conflict.takeNow')}
            </Button>
            <Button variant="default" size="compact-md" onClick={() => choose('yours')}>
              {t('books.edit.conflict.mine')}
            </Button>
          </div>
          {differences.map((difference) => (
            <Choice
              key={difference.field}
              difference={difference}
              other={t(cause === 'saved' ? 'books.edit.conflict.theirs' : 'books.edit.conflict.now')}
              value={form.values[difference.field]}
              onChoose={(value) => form.setFieldValue(difference.field, value)}
            />
          ))}
        </>
      )}
      <div className={classes.save}>
        <Button onClick={onSave} loading={pending}>
          {t('books.edit.conflict.again')}
        </Button>
        <Button variant="subtle" onClick={state.discard}>
          {t('books.edit.conflict.discard')}
        </Button>
      </div>
    </section>
  )
}

type ChoiceProps = {
  difference: Difference
  other: string
  value: string | number
  onChoose: (value: string | number) => void
}

function Choice({ difference: { field, theirs, yours, touched }, other: their, value, onChoose }: ChoiceProps) {
  const group = useId()
  return (
    <fieldset className={classes.choice}>
      <legend className={classes.field}>{labelOf('BookForm', field)}</legend>
      <div className={classes.sides}>
        {(
          [
            [their, theirs, yours],
            [t(touched ? 'books.edit.conflict.yours' : 'books.edit.conflict.original'), yours, theirs],
          ] as const
        ).map(([side, own, other]) => (
          <label key={side} className={classes.side}>
            <input type="radio" name={group} checked={value === own} onChange={() => onChoose(own)} />
            <span className={classes.words}>
              <span className={classes.name}>{side}</span>
              <Value field={field} own={own} other={other} />
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

function Value({ field, own, other }: { field: BookField; own: string | number; other: string | number }) {
  // Memoised, so that typing in the form below does not compare long texts again.
  const pieces = useMemo(() => piecesOf(String(own), String(other)), [own, other])
  if (own === '') return <span className={classes.blank}>{t('books.edit.conflict.blank')}</span>
  if (field === 'status') return <span>{statusText(own)}</span>
  if (field === 'noOfBooks') return <span className="tabular">{own}</span>
  // If the texts have nothing in common, nothing is highlighted.
  const points = pieces.some(({ changed }) => !changed)
  return (
    <span dir="auto" className={classes.text}>
      {pieces.map(({ text, changed }, index) => {
        const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
        // Pieces of a text have no identity besides their position.
        /* oxlint-disable react/no-array-index-key */
        if (!changed || !points) return <span key={index}>{shown}</span>
        const word = shown.trimEnd()
        return (
          <span key={index}>
            <mark>{word}</mark>
            {shown.slice(word.length)}
          </span>
        )
        /* oxlint-enable react/no-array-index-key */
      })}
    </span>
  )
}
