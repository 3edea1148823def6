import { Alert, Anchor, Button, FileButton, Group, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'react-router'
import { useAction } from '../../api/action'
import { importPeople } from '../../api/people'
import type { ImportReport, Person } from '../../api/types'
import { t } from '../../lib/messages'
import { focusHere } from '../../lib/focus'
import { paths } from '../../screens'
import { fieldMessage, messageOf } from '../../lib/problem'
import { PageHeader } from '../../ui/PageHeader'
import { ResponsiveTable } from '../../ui/ResponsiveTable'
import classes from './ImportScreen.module.css'

const HEADER = 'rollNumber,name,email,department,batch,category,validUntil'

/** Import of people from a file: a preview first, then the import (R-PEOPLE-4). */
export default function ImportScreen() {
  const [file, setFile] = useState<File | null>(null)
  const [report, setReport] = useState<ImportReport | null>(null)
  const send = useAction(importPeople)

  async function run(chosen: File, dryRun: boolean) {
    const { name, size, lastModified } = chosen
    const outcome = await send.run({ name, size, lastModified, dryRun, file: chosen })
    setReport(outcome.ok ? outcome.output : null)
  }

  const { added, changed } = report?.totals ?? { added: 0, changed: 0 }
  return (
    <div className={classes.screen}>
      <PageHeader
        title={t('people.import.title')}
        actions={
          <Button component={Link} to={paths.people()} variant="default">
            {t('people.import.back')}
          </Button>
        }
      />
      <Text>{t('people.import.what')}</Text>
      <pre className={classes.header}>{HEADER}</pre>
      <Text c="dimmed" size="sm">
        {t('people.import.rules')}
      </Text>
      <Group mt="lg">
        <FileButton
          accept=".csv,.gz,text/csv"
          onChange={(chosen) => {
            setFile(chosen)
            setReport(null)
            if (chosen) void run(chosen, true)
          }}
        >
          {(props) => (
            <Button {...props} variant={report ? 'default' : 'filled'} loading={send.pending && report === null}>
              {t(file ? 'people.import.other' : 'people.import.choose')}
            </Button>
          )}
        </FileButton>
        {file && <span dir="auto">{file.name}</span>}
      </Group>
      {send.error && (
        <Alert color="red" role="alert" mt="lg">
          {messageOf(send.error)}
        </Alert>
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
            <Button loading={send.pending} onClick={() => void run(file, false)}>
              {t('people.import.submit', { count: added + changed })}
            </Button>
          )}
          {report.dryRun && added + changed === 0 && <Alert color="teal">{t('people.import.nothing')}</Alert>}
          <Rejected report={report} />
          <Missing report={report} />
          <Changed report={report} />
        </section>
      )}
    </div>
  )
}

function Rejected({ report: { rejected, totals, rejectsFile } }: { report: ImportReport }) {
  if (rejected.length === 0) return null
  const save = () => {
    const url = URL.createObjectURL(new Blob([rejectsFile ?? ''], { type: 'text/csv' }))
    const link = document.createElement('a')
    link.href = url
    link.download = 'people.rejected.csv'
    link.click()
    URL.revokeObjectURL(url)
  }
  return (
    <div className={classes.part}>
      <Group justify="space-between">
        <Title order={3}>{t('people.import.rejected', { count: totals.rejected })}</Title>
        <Button variant="default" size="sm" onClick={save}>
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

/** People missing from the file: they stay active until a librarian deactivates them. */
function Missing({ report: { missing, missingPeople } }: { report: ImportReport }) {
  if (missing === 0) return null
  return (
    <details className={classes.part}>
      <summary>{t('people.import.missing', { count: missing })}</summary>
      <Text mt="xs">{t('people.import.missingHint')}</Text>
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

type Field = 'name' | 'email' | 'department' | 'batch' | 'category' | 'validUntil'

function Changed({ report: { changed, totals } }: { report: ImportReport }) {
  if (changed.length === 0) return null
  const valueOf = (details: Pick<Person, Field>, field: string) => details[field as Field] ?? '–'
  const nameOf = (field: string) =>
    field === 'name' || field === 'batch' || field === 'department'
      ? t(`people.column.${field}`)
      : t(`people.fact.${field as 'email' | 'category' | 'validUntil'}`)
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
