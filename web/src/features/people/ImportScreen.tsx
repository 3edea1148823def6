import { Alert, Anchor, Button, Group, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { useMay } from '../../api/account'
import { useAction } from '../../api/action'
import { readPeopleColumns, uploadOf } from '../../api/imports'
import { importPeople } from '../../api/people'
import type { FileColumns, ImportReport, Person } from '../../api/types'
import { labelOf } from '../../api/validate'
import { t } from '../../lib/messages'
import { focusHere } from '../../lib/focus'
import { paths } from '../../screens'
import { fieldMessage } from '../../lib/problem'
import { PageHeader, Tabs } from '../../ui/PageHeader'
import { ResponsiveTable } from '../../ui/ResponsiveTable'
import {
  ChooseFile,
  ColumnChooser,
  EarlierImports,
  EntriesImport,
  ImportState,
  PEOPLE_WORDS,
  PhotosImport,
  saveFile,
} from '../imports'
import classes from './ImportScreen.module.css'
import type { Missing as MissingOfBatch } from './PromoteScreen'

/** Lists in the order that a new library imports them. */
const TABS = ['people', 'photos', 'loans', 'charges'] as const

const NAMES = {
  rollNumber: () => t('people.column.rollNumber'),
  name: () => t('people.column.name'),
  email: () => t('people.fact.email'),
  department: () => t('people.column.department'),
  batch: () => t('people.column.batch'),
  section: () => t('people.import.section'),
  category: () => t('people.fact.category'),
  validUntil: () => t('people.fact.validUntil'),
  phone: () => labelOf('PersonForm', 'phone'),
  guardianEmail: () => labelOf('PersonForm', 'guardianEmail'),
  guardianPhone: () => labelOf('PersonForm', 'guardianPhone'),
}

const nameOf = (field: string) => NAMES[field as keyof typeof NAMES]()

/** True if the headings are the library's own field names, so that no columns need to be chosen. */
const hasOurNames = ({ columns, remembered }: FileColumns) =>
  !remembered && columns.every(({ heading, field }) => heading === field)

/** Import of people, their open loans and their charges from files of another system. */
export default function ImportScreen() {
  const [params] = useSearchParams()
  const mayLend = useMay('desk')
  const mayCharge = useMay('money')
  const tabs = TABS.filter((tab) => (tab === 'loans' ? mayLend : tab !== 'charges' || mayCharge))
  const open = tabs.find((tab) => tab === params.get('tab')) ?? 'people'
  return (
    <div className={classes.screen}>
      <PageHeader
        title={titleOf(open)}
        actions={
          <Button component={Link} to={paths.people()} variant="default">
            {t('people.import.back')}
          </Button>
        }
      />
      <Tabs label={t('people.import.lists')} names={tabs} open={open} textOf={(tab) => t(`people.import.tab.${tab}`)} />
      {open === 'people' ? (
        <PeopleImports id={Number(params.get('import')) || null} />
      ) : open === 'photos' ? (
        <PhotosImport />
      ) : (
        <EntriesImport key={open} kind={open} />
      )}
    </div>
  )
}

function titleOf(tab: (typeof TABS)[number]): string {
  if (tab === 'people') return t('people.import.title')
  return tab === 'photos' ? t('people.importPhotos.title') : t(`people.entries.${tab}.title`)
}

/** An earlier import of people, or a new one. */
const PeopleImports = ({ id }: { id: number | null }) =>
  id === null ? <PeopleImport /> : <ImportState key={id} kind="people" words={PEOPLE_WORDS} id={id} />

/** Import of people from a file: a preview first, then the import (R-PEOPLE-4). */
function PeopleImport() {
  const [file, setFile] = useState<File | null>(null)
  const [report, setReport] = useState<ImportReport | null>(null)
  const [columns, setColumns] = useState<FileColumns | null>(null)
  const [fields, setFields] = useState<string[] | null>(null)
  const look = useAction(readPeopleColumns)
  const send = useAction(importPeople)
  const error = look.error ?? send.error

  async function run(chosen: File, dryRun: boolean, names: string[] | null) {
    setFields(names)
    const outcome = await send.run({ ...uploadOf(chosen), dryRun, columns: names?.join(',') })
    setReport(outcome.ok ? outcome.output : null)
  }

  async function open(chosen: File) {
    setFile(chosen)
    setColumns(null)
    setReport(null)
    send.reset()
    const outcome = await look.run(uploadOf(chosen))
    if (!outcome.ok) return
    if (hasOurNames(outcome.output)) await run(chosen, true, null)
    else setColumns(outcome.output)
  }

  const { added, changed } = report?.totals ?? { added: 0, changed: 0 }
  return (
    <>
      <ChooseFile
        what={t('people.import.what')}
        rules={t('people.import.rules')}
        accept=".csv,.tsv,.txt,.gz,.xlsx,.ods,text/csv"
        file={file}
        choose={t(file ? 'people.import.other' : 'people.import.choose')}
        isPrimary={report === null}
        pending={look.pending}
        onChoose={(chosen) => void open(chosen)}
        example={{ text: t('people.import.example'), name: 'people-example.csv', rows: t('people.import.exampleRows') }}
        error={error}
      />
      {file && columns && (
        <ColumnChooser
          file={file}
          columns={columns}
          nameOf={nameOf}
          pending={send.pending && report === null}
          isChecked={report !== null}
          onChosen={(chosen) => void run(file, true, chosen)}
          onChanged={() => setReport(null)}
        />
      )}
      {report && (
        <section key={String(report.dryRun)} aria-labelledby="report" className={classes.report}>
          <Title order={2} id="report" ref={focusHere} tabIndex={-1}>
            {t(report.dryRun ? 'people.import.would' : 'people.import.done')}
          </Title>
          <p role="status" className="tabular">
            {t('people.import.totals', report.totals)}
          </p>
          {report.dryRun && added + changed > 0 && file && (
            <Button loading={send.pending} onClick={() => void run(file, false, fields)}>
              {t('people.import.submit', { count: added + changed })}
            </Button>
          )}
          {report.dryRun && added + changed === 0 && <Nothing totals={report.totals} />}
          {!report.dryRun && <Next id={report.import} />}
          <Rejected report={report} />
          <Missing report={report} />
          <Changed report={report} />
        </section>
      )}
      {!file && <EarlierImports kind="people" words={PEOPLE_WORDS} />}
    </>
  )
}

/** Steps after an import of people; `id` leads to its undo. */
function Next({ id }: { id: number | null }) {
  return (
    <Group gap="xs" mb="md">
      <Button component={Link} to={paths.people()}>
        {t('people.import.toPeople')}
      </Button>
      <Text c="dimmed">{t('people.import.next')}</Text>
      {id !== null && (
        <Button component={Link} to={PEOPLE_WORDS.address(id)} variant="subtle">
          {t('people.import.undo')}
        </Button>
      )}
    </Group>
  )
}

function Rejected({ report: { rejected, totals, rejectsFile } }: { report: ImportReport }) {
  if (rejected.length === 0) return null
  return (
    <div className={classes.part}>
      <Group justify="space-between">
        <Title order={3}>{t('people.import.rejected', { count: totals.rejected })}</Title>
        <Button variant="default" size="sm" onClick={() => saveFile('people.rejected.csv', rejectsFile ?? '')}>
          {t('people.import.save')}
        </Button>
      </Group>
      <ResponsiveTable
        label={t('people.import.rejected', { count: totals.rejected })}
        dense
        rows={rejected}
        keyOf={(row) => row.line}
        columns={[
          {
            title: t('people.import.place'),
            cell: ({ line }) => <span className="tabular">{t('people.import.line', { line })}</span>,
          },
          {
            title: t('people.import.reason'),
            cell: ({ errors }) => <span dir="auto">{errors.map((error) => fieldMessage(error)).join(' ')}</span>,
          },
        ]}
      />
      {totals.rejected > rejected.length && (
        <Text c="dimmed">{t('people.import.first', { count: rejected.length })}</Text>
      )}
    </div>
  )
}

/** Groups the ids of the missing people by batch, for the year's end. */
function byBatch(missing: ImportReport['missingPeople']): MissingOfBatch[] {
  const batches = new Map<string, number[]>()
  for (const { batch, uid } of missing) batches.set(batch, [...(batches.get(batch) ?? []), uid])
  return [...batches].map(([batch, people]) => ({ batch, people }))
}

/** People missing from the file: they stay active until a librarian deactivates them. */
function Missing({ report: { dryRun, totals, missing, missingPeople } }: { report: ImportReport }) {
  if (missing === 0) return null
  const listed = totals.added + totals.changed + totals.unchanged
  return (
    <details className={classes.part}>
      <summary>{t('people.import.missing', { count: missing })}</summary>
      <Text mt="xs">{t('people.import.missingHint')}</Text>
      {/* Few people leave in a year. If this many are missing, the file probably holds one section or page only. */}
      {missing * 2 > listed && (
        <Alert color="yellow" mt="xs">
          {t('people.import.missingMany', { count: missing, listed })}
        </Alert>
      )}
      {(!dryRun || totals.added + totals.changed === 0) && (
        <Group mt="xs" gap="xs">
          {byBatch(missingPeople).map(({ batch, people }) => (
            <Button
              key={batch}
              component={Link}
              to={paths.promote()}
              state={{ missing: { batch, people } satisfies MissingOfBatch }}
              variant="default"
              size="sm"
            >
              {t('people.import.missingLeave', { batch, count: people.length })}
            </Button>
          ))}
        </Group>
      )}
      <ResponsiveTable
        label={t('people.import.missing', { count: missing })}
        dense
        rows={missingPeople}
        keyOf={(person) => person.uid}
        columns={[
          { title: t('people.column.rollNumber'), cell: ({ rollNumber }) => <span dir="auto">{rollNumber}</span> },
          {
            title: t('people.column.name'),
            cell: ({ uid, name }) => (
              <Anchor component={Link} to={paths.person(uid)} dir="auto" fz="inherit">
                {name}
              </Anchor>
            ),
          },
          { title: t('people.column.batch'), cell: ({ batch }) => <span dir="auto">{batch}</span> },
        ]}
      />
      {missing > missingPeople.length && (
        <Text c="dimmed">{t('people.import.first', { count: missingPeople.length })}</Text>
      )}
    </details>
  )
}

type Field = Exclude<keyof typeof NAMES, 'rollNumber' | 'section'>

function Changed({ report: { changed, totals } }: { report: ImportReport }) {
  if (changed.length === 0) return null
  const valueOf = (details: Pick<Person, Field>, field: string) => details[field as Field] ?? '–'
  return (
    <div className={classes.part}>
      <Title order={3}>{t('people.import.changed', { count: totals.changed })}</Title>
      <ResponsiveTable
        label={t('people.import.changed', { count: totals.changed })}
        dense
        rows={changed}
        keyOf={(row) => row.rollNumber}
        columns={[
          { title: t('people.column.rollNumber'), cell: ({ rollNumber }) => <span dir="auto">{rollNumber}</span> },
          { title: t('people.column.name'), cell: ({ name }) => <span dir="auto">{name}</span> },
          {
            title: t('people.import.changes'),
            cell: ({ fields, before, after }) => (
              <ul className={classes.changes}>
                {fields.map((field) => (
                  <li key={field} dir="auto">
                    {t('activity.difference', {
                      name: nameOf(field),
                      before: valueOf(before, field),
                      after: valueOf(after, field),
                    })}
                  </li>
                ))}
              </ul>
            ),
          },
        ]}
      />
      {totals.changed > changed.length && <Text c="dimmed">{t('people.import.first', { count: changed.length })}</Text>}
    </div>
  )
}

/** Says why the file adds and changes nothing. */
function Nothing({ totals: { unchanged, rejected } }: { totals: ImportReport['totals'] }) {
  if (rejected + unchanged === 0) return <Alert color="yellow">{t('books.import.report.empty')}</Alert>
  if (rejected === 0) return <Alert color="teal">{t('people.import.nothing')}</Alert>
  return <Alert color="yellow">{t(unchanged === 0 ? 'people.import.noneValid' : 'people.entries.nothing')}</Alert>
}
