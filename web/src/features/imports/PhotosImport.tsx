import { Alert, Button, Checkbox, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { useAction } from '../../api/action'
import { uploadOf } from '../../api/imports'
import { checkPhotos, importPhotos } from '../../api/photos'
import type { PhotosReport } from '../../api/types'
import { focusHere } from '../../lib/focus'
import { t } from '../../lib/messages'
import { fieldMessage } from '../../lib/problem'
import { ResponsiveTable } from '../../ui/ResponsiveTable'
import { ChooseFile } from './ChooseFile'
import { EarlierImports } from './EarlierImports'
import { PHOTO_WORDS } from './entryWords'
import classes from './Import.module.css'
import { ImportState } from './ImportState'
import { Total } from './Total'

/** Import of photos from a ZIP file, named by roll numbers; shows the state of the import in the address, if any. */
export function PhotosImport() {
  const [params, setParams] = useSearchParams()
  const id = Number(params.get('import')) || null
  return id === null ? (
    <NewImport onBegun={(begun) => setParams({ tab: 'photos', import: String(begun) })} />
  ) : (
    <ImportState key={id} kind="photos" words={PHOTO_WORDS} id={id} />
  )
}

function NewImport({ onBegun }: { onBegun: (id: number) => void }) {
  const [file, setFile] = useState<File | null>(null)
  const [replace, setReplace] = useState(false)
  const [report, setReport] = useState<PhotosReport | null>(null)
  const check = useAction(checkPhotos)
  const begin = useAction(importPhotos)
  const error = check.error ?? begin.error

  async function preview(chosen: File, replaces: boolean) {
    begin.reset()
    setFile(chosen)
    setReplace(replaces)
    const outcome = await check.run({ ...uploadOf(chosen), replace: replaces })
    setReport(outcome.ok ? outcome.output : null)
  }

  async function submit(chosen: File) {
    const outcome = await begin.run({ ...uploadOf(chosen), replace })
    if (outcome.ok) onBegun(outcome.output.id)
  }

  return (
    <>
      <ChooseFile
        what={t('people.importPhotos.what')}
        rules={t('people.importPhotos.rules')}
        accept=".zip,application/zip"
        file={file}
        choose={t(file ? 'people.import.other' : 'people.import.choose')}
        isPrimary={!file || error !== null}
        pending={check.pending && report === null}
        onChoose={(chosen) => {
          setReport(null)
          void preview(chosen, replace)
        }}
        error={error}
      />
      {file && report && (
        <Preview
          report={report}
          replace={replace}
          isChecking={check.pending}
          pending={begin.pending}
          onReplace={(next) => void preview(file, next)}
          onSubmit={() => void submit(file)}
        />
      )}
      {!file && <EarlierImports kind="photos" words={PHOTO_WORDS} />}
    </>
  )
}

type PreviewProps = {
  report: PhotosReport
  replace: boolean
  isChecking: boolean
  pending: boolean
  onReplace: (replace: boolean) => void
  onSubmit: () => void
}

function Preview({ report, replace, isChecking, pending, onReplace, onSubmit }: PreviewProps) {
  const { added, replaced, known, rejected } = report
  const count = added + replaced
  return (
    <section aria-labelledby="report" className={classes.part}>
      <Title order={2} id="report" ref={focusHere} tabIndex={-1}>
        {t('books.import.report.title')}
      </Title>
      <dl className={`${classes.totals} tabular`}>
        <Total name={t('people.importPhotos.added')} count={added} />
        {replaced > 0 && <Total name={t('people.importPhotos.replaced')} count={replaced} />}
        <Total name={t('people.importPhotos.known')} count={known} />
        <Total name={t('people.importPhotos.rejectedFiles')} count={rejected} />
      </dl>
      {(known > 0 || replace) && (
        <Checkbox
          mb="md"
          label={t('people.importPhotos.replace')}
          description={t('people.importPhotos.replaceHint')}
          checked={replace}
          disabled={isChecking || pending}
          onChange={(event) => onReplace(event.currentTarget.checked)}
        />
      )}
      {count > 0 ? (
        <Button loading={pending} disabled={isChecking} onClick={onSubmit}>
          {t('people.importPhotos.submit', { count })}
        </Button>
      ) : (
        <Alert color={rejected > 0 ? 'yellow' : 'teal'}>
          {t(rejected > 0 ? 'people.importPhotos.none' : 'people.importPhotos.nothing')}
        </Alert>
      )}
      <RejectedFiles report={report} />
    </section>
  )
}

function RejectedFiles({ report: { rejected, rejectedFiles } }: { report: PhotosReport }) {
  if (rejectedFiles.length === 0) return null
  const label = t('people.importPhotos.rejected', { count: rejected })
  return (
    <div className={classes.part}>
      <Title order={3} mb="xs">
        {label}
      </Title>
      <ResponsiveTable
        label={label}
        dense
        rows={rejectedFiles}
        keyOf={(row) => row.file}
        columns={[
          { title: t('books.import.earlier.file'), cell: ({ file }) => <span dir="auto">{file}</span> },
          {
            title: t('books.import.report.reason'),
            cell: ({ errors }) => <span dir="auto">{errors.map((error) => fieldMessage(error)).join(' ')}</span>,
          },
        ]}
      />
      {rejected > rejectedFiles.length && (
        <Text c="dimmed">{t('books.import.report.first', { count: rejectedFiles.length })}</Text>
      )}
    </div>
  )
}
