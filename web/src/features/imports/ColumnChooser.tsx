import { Alert, Button, NativeSelect, Text, Title } from '@mantine/core'
import { useState } from 'react'
import type { FileColumns } from '../../api/types'
import { focusHere } from '../../lib/focus'
import { t } from '../../lib/messages'
import classes from './Import.module.css'

type ColumnChooserProps = ChooserProps & {
  /** File of the columns; another file starts with its own guess. */
  file: File
}

type ChooserProps = {
  columns: FileColumns
  /** Returns the label of a field. */
  nameOf: (field: string) => string
  pending: boolean
  /** True while the report on this choice is shown, with the next step. */
  isChecked: boolean
  /** Called with the field of each column, in order. */
  onChosen: (fields: string[]) => void
  /** Called when a choice changes: a report on the previous choice is outdated. */
  onChanged?: () => void
}

/** Asks which field each column of a file holds; shows a guess, and the first rows. */
export function ColumnChooser({ file, ...props }: ColumnChooserProps) {
  return <Chooser key={`${file.name} ${String(file.lastModified)} ${String(file.size)}`} {...props} />
}

function Chooser({ columns, nameOf, pending, isChecked, onChosen, onChanged }: ChooserProps) {
  const [fields, setFields] = useState(() => columns.columns.map(({ field }) => field))
  const rows = columns.columns.map(({ heading, cells }, index) => ({
    index,
    heading: heading || t('books.import.columns.unnamed', { number: index + 1 }),
    cells: cells.filter((cell) => cell !== '').join(' · ') || t('books.import.columns.empty'),
  }))
  const leftOut = columns.columns
    .map(({ heading, cells }, index) => ({ heading, index, isFilled: cells.some((cell) => cell !== '') }))
    .filter(({ index, isFilled, heading }) => isFilled && heading !== '' && fields[index] === '')
    .map(({ heading }) => heading)
  const missing = columns.required.filter((field) => !fields.includes(field))
  const choose = (index: number, field: string) => {
    // A field belongs to one column only: the one for which it was chosen last.
    setFields((before) =>
      before.map((old, place) => (place === index ? field : field !== '' && old === field ? '' : old)),
    )
    onChanged?.()
  }
  return (
    <section aria-labelledby="columns" className={classes.part}>
      <Title order={2} id="columns" ref={focusHere} tabIndex={-1}>
        {t('books.import.columns.title')}
      </Title>
      <Text c="dimmed">
        {t('books.import.columns.found', { rows: columns.rows, columns: columns.columns.length })}
        {columns.remembered && <> {t('books.import.columns.remembered')}</>}
      </Text>
      <ul className={classes.columns}>
        {rows.map(({ index, heading, cells }) => (
          <li key={index} className={classes.column} data-ignored={fields[index] === ''}>
            <div className={classes.sample}>
              <strong dir="auto">{heading}</strong>
              <span className={classes.cells} dir="auto">
                {cells}
              </span>
            </div>
            <NativeSelect
              aria-label={t('books.import.columns.what', { heading })}
              value={fields[index] ?? ''}
              data={[
                { value: '', label: t('books.import.columns.ignore') },
                ...columns.fields.map((field) => ({ value: field, label: nameOf(field) })),
              ]}
              onChange={(event) => choose(index, event.currentTarget.value)}
            />
          </li>
        ))}
      </ul>
      {leftOut.length > 0 && (
        <Text mb="md" dir="auto">
          {t('books.import.columns.leftOut', { count: leftOut.length, headings: leftOut.join(', ') })}
        </Text>
      )}
      {missing[0] !== undefined && (
        <Alert color="red" mb="md" role="alert">
          {t('books.import.columns.missing', { field: nameOf(missing[0]) })}
        </Alert>
      )}
      <Button
        variant={isChecked ? 'default' : 'filled'}
        loading={pending}
        disabled={missing.length > 0}
        onClick={() => onChosen(fields)}
      >
        {t('books.import.columns.check')}
      </Button>
    </section>
  )
}
