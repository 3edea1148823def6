import { Alert, Button, Group, Progress, Text, Title } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { Link } from 'react-router'
import { useAction } from '../../api/action'
import { importQuery, rejectedPath, undoImport, type ImportKind } from '../../api/imports'
import { keys } from '../../api/keys'
import { focusHere } from '../../lib/focus'
import { t } from '../../lib/messages'
import { messageOf } from '../../lib/problem'
import { paths } from '../../screens'
import { ConfirmModal } from '../../ui/ConfirmModal'
import { ListState } from '../../ui/ListState'
import { useQuestion } from '../../ui/useQuestion'
import classes from './Import.module.css'
import { Total } from './Total'
import type { ImportWords } from './words'

type ImportStateProps = { kind: ImportKind; words: ImportWords; id: number }

/** Shows the progress of a running import, then its result with a button for undo. */
export function ImportState({ kind, words, id }: ImportStateProps) {
  const queries = useQueryClient()
  const query = useQuery(importQuery(kind, id))
  const undo = useAction(undoImport)
  const { about: asked, opened, ask, close } = useQuestion<number>()
  const section = useRef<HTMLElement>(null)
  const state = query.data?.state

  useEffect(() => {
    // The cached data of other screens is out of date now.
    if (state !== 'done' && state !== 'undone') return
    for (const queryKey of words.changes) void queries.invalidateQueries({ queryKey })
  }, [queries, words, state])

  async function takeBack() {
    await undo.run({ kind, id })
    close()
    await queries.invalidateQueries({ queryKey: keys.imports })
    // The button is gone, to which the closed window would return the focus.
    section.current?.querySelector('h2')?.focus()
  }

  return (
    <>
      <ListState query={query} lines={3} stale={t('books.import.state.cut')}>
        {(found) => {
          const isWorking = found.state === 'running' || found.state === 'undoing'
          const share = found.state === 'undoing' ? null : found.rows === 0 ? 100 : (100 * found.done) / found.rows
          return (
            <section ref={section} aria-labelledby="import" className={classes.part}>
              <Title order={2} id="import" ref={focusHere} tabIndex={-1}>
                {words.title(found.state as 'running' | 'stopped' | 'done' | 'undoing' | 'undone')}
              </Title>
              <Text c="dimmed" dir="auto">
                {found.fileName}
              </Text>
              {isWorking && (
                <>
                  {share !== null && (
                    <Progress.Root size="lg" my="md">
                      <Progress.Section value={share} aria-label={t('books.import.state.progress')} />
                    </Progress.Root>
                  )}
                  <p role="status" className="tabular">
                    {found.state === 'running'
                      ? (words.progress?.(found.done, found.rows) ??
                        t('books.import.state.rows', { done: found.done, rows: found.rows }))
                      : t('books.import.state.left', { count: found.left })}
                  </p>
                  <Text c="dimmed">{t('books.import.state.goesOn')}</Text>
                </>
              )}
              {found.state === 'stopped' && (
                <Alert color="yellow" mt="md">
                  {t('books.import.state.stoppedHint')}
                </Alert>
              )}
              {!isWorking && found.state !== 'undone' && (
                <dl className={`${classes.totals} tabular`}>
                  <Total name={words.added()} count={found.added} />
                  {kind === 'books' && <Total name={t('books.import.total.copies')} count={found.copies} />}
                  {found.more > 0 && <Total name={words.more?.() ?? t('books.import.total.more')} count={found.more} />}
                  <Total name={words.known()} count={found.known} />
                  <Total name={words.rejected?.() ?? t('books.import.total.rejected')} count={found.rejected} />
                </dl>
              )}
              {undo.error && (
                <Alert color="red" role="alert" mb="md">
                  {messageOf(undo.error)}
                </Alert>
              )}
              {!isWorking && (
                <Group mt="md">
                  <Button component={Link} to={words.result().to}>
                    {words.result().text}
                  </Button>
                  <Button component={Link} to={words.screen()} variant="default">
                    {t('books.import.state.another')}
                  </Button>
                  {kind === 'books' && found.copies > 0 && found.state === 'done' && (
                    <Button component={Link} to={`${paths.labels()}?by=unprinted`} variant="default">
                      {t('books.import.state.labels')}
                    </Button>
                  )}
                  {found.keepsRejected && found.state !== 'undone' && (
                    <Button component="a" href={rejectedPath(kind, id)} download variant="default">
                      {words.rejected ? t('people.importPhotos.save') : t('books.import.report.save')}
                    </Button>
                  )}
                  {found.left > 0 && found.inUse === 0 && (
                    <Button color="red" variant="subtle" loading={undo.pending} onClick={() => ask(id)}>
                      {t('books.import.undo.action')}
                    </Button>
                  )}
                </Group>
              )}
              {!isWorking && found.left > 0 && found.inUse > 0 && (
                <Text c="dimmed" mt="md">
                  {words.inUse(found.inUse)}
                </Text>
              )}
              <ConfirmModal
                opened={opened}
                onClose={close}
                onConfirm={() => void takeBack()}
                title={t('books.import.undo.title')}
                confirm={t('books.import.undo.action')}
                pending={undo.pending}
                danger
              >
                {asked !== null && words.undone(found.left)}
              </ConfirmModal>
            </section>
          )
        }}
      </ListState>
      {query.isError && query.data === undefined && (
        <Button component={Link} to={words.screen()} variant="subtle">
          {t('books.import.state.another')}
        </Button>
      )}
    </>
  )
}
