import { Anchor, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { importsQuery, type ImportKind } from '../../api/imports'
import type { FileImport } from '../../api/types'
import { momentText, numberText } from '../../lib/format'
import { t } from '../../lib/messages'
import { ResponsiveTable } from '../../ui/ResponsiveTable'
import classes from './Import.module.css'
import type { ImportWords } from './words'

const nameOfState = (state: FileImport['state']) =>
  t(`books.import.state.${state as 'running' | 'stopped' | 'done' | 'undoing' | 'undone'}`)

/** Earlier imports of a kind; the page of each offers its undo. */
export function EarlierImports({ kind, words }: { kind: ImportKind; words: ImportWords }) {
  const { data } = useQuery(importsQuery(kind))
  if (data === undefined || data.length === 0) return null
  return (
    <section aria-labelledby="earlier" className={classes.part}>
      <Title order={2} id="earlier" mb="xs">
        {t('books.import.earlier.title')}
      </Title>
      <ResponsiveTable
        label={t('books.import.earlier.title')}
        dense
        rows={data}
        keyOf={(row) => row.id}
        columns={[
          {
            title: t('books.import.earlier.file'),
            cell: ({ id, fileName }) => (
              <Anchor component={Link} to={words.address(id)} dir="auto" fz="inherit">
                {fileName || t('books.import.earlier.unnamed', { id })}
              </Anchor>
            ),
          },
          {
            title: t('books.import.earlier.when'),
            cell: ({ startedAt }) => <time dateTime={startedAt}>{momentText(startedAt)}</time>,
          },
          {
            title: t('books.import.earlier.by'),
            cell: ({ by }) => <span dir="auto">{by ?? t('books.import.earlier.commandLine')}</span>,
          },
          { title: t('books.import.earlier.state'), cell: ({ state }) => nameOfState(state) },
          {
            title: words.added(),
            align: 'end',
            cell: ({ added }) => <span className="tabular">{numberText(added)}</span>,
          },
          {
            title: words.rejected?.() ?? t('books.import.total.rejected'),
            align: 'end',
            cell: ({ rejected }) => <span className="tabular">{numberText(rejected)}</span>,
          },
        ]}
      />
    </section>
  )
}
