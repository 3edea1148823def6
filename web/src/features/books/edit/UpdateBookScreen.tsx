import { Alert, Anchor, Skeleton } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Navigate, useNavigate, useParams } from 'react-router'
import { useAction } from '../../../api/action'
import { bookQuery, updateBook as updateBookAction } from '../../../api/books'
import { useEditDraft } from '../../../api/draft'
import { ProblemError } from '../../../lib/problem'
import { t } from '../../../lib/messages'
import { notify } from '../../../lib/notify'
import { focusFirstError } from '../../../lib/focus'
import { idOf } from '../../../lib/paths'
import { paths } from '../../../screens'
import { ErrorState } from '../../../ui/ErrorState'
import { PageHeader } from '../../../ui/PageHeader'
import { BookForm } from './BookForm'
import classes from './BookForm.module.css'
import { BOOK_FIELDS, type BookValues, draftName, isUpdateField, NEW_BOOK, updateOf, valuesOf } from './bookValues'
import { ConflictPanel } from './ConflictPanel'
import { useBack } from './useBack'
import { type Loaded, useBookForm } from './useBookForm'

/** Update Book Details: loads the book, or redirects home if it does not exist. */
export default function UpdateBookScreen() {
  const id = idOf(useParams()['id'])
  return (
    <div className={classes.screen}>
      <PageHeader title={t('books.edit.update.title')} />
      {id === null ? <MissingBook /> : <LoadedBook key={id} id={id} />}
    </div>
  )
}

function MissingBook() {
  useEffect(() => notify.failure(t('books.edit.update.missing')), [])
  return <Navigate to={paths.home()} replace />
}

function LoadedBook({ id }: { id: number }) {
  // An edit begins from the stored values, never from cached ones.
  const query = useQuery({ ...bookQuery(id), staleTime: 0, refetchOnMount: 'always', refetchOnWindowFocus: false })
  const { data, error, isFetchedAfterMount } = query

  if (error instanceof ProblemError && error.code === 'not-found' && !data) return <MissingBook />
  if (error && !data) return <ErrorState error={error} onRetry={() => void query.refetch()} />
  if (!data || !isFetchedAfterMount) return <FormSkeleton />
  return <Edit id={id} loaded={{ values: valuesOf(data.book), version: data.etag }} />
}

function Edit({ id, loaded }: { id: number; loaded: Loaded }) {
  const state = useBookForm(useEditDraft(draftName(id), NEW_BOOK), loaded)
  const anew = useEditDraft(draftName('add'), NEW_BOOK)
  const queries = useQueryClient()
  const updateBook = useAction(updateBookAction(id), { done: () => t('books.edit.update.done') })
  const navigate = useNavigate()
  const back = useBack(paths.bookDetail(id))
  const { form } = state
  const deleted = updateBook.error instanceof ProblemError && updateBook.error.code === 'not-found'

  async function loadAgain(): Promise<Loaded> {
    const { book, etag } = await queries.fetchQuery({ ...bookQuery(id), staleTime: 0 })
    return { values: valuesOf(book), version: etag }
  }

  async function save(values: BookValues) {
    state.beginSave()
    const outcome = await updateBook.run({ etag: state.version, body: updateOf(values) })
    if (!outcome.ok) return refuse(outcome.error)
    state.finish()
    back()
  }

  async function refuse(error: unknown) {
    const message = t('books.edit.update.failed')
    if (!(error instanceof ProblemError)) return state.fail(message, error)
    if (error.code === 'not-found') return
    // The number passed the client's check, so copies were probably lent since the book was loaded.
    const number = error.fields['noOfBooks'] !== undefined
    if (error.code !== 'stale' && !number) return state.fail(message, error)
    try {
      const now = await loadAgain()
      if (error.code === 'stale') state.showConflict(now, 'saved')
      else if (now.values.noOfBooks === state.copies) state.fail(message, error)
      else state.showConflict(now, 'lent')
    } catch (unreachable) {
      state.fail(message, unreachable)
    }
  }

  function addAnew() {
    anew.write({ values: form.values, base: NEW_BOOK, version: '' })
    state.finish()
    void navigate(paths.addBook(), { replace: true })
  }

  return (
    <>
      <ConflictPanel
        state={state}
        pending={updateBook.pending}
        onSave={() => form.onSubmit((values) => void save(values), focusFirstError)()}
      />
      <BookForm
        state={state}
        kind="update"
        submit={t('books.detail.update')}
        pending={updateBook.pending}
        id={id}
        onSave={(values) => void save(values)}
        onCancel={back}
        notice={
          deleted && (
            <Alert color="red" role="alert" title={t('books.edit.deleted')}>
              {t('books.edit.deletedKept')}{' '}
              <Anchor component="button" type="button" onClick={addAnew}>
                {t('books.edit.anew')}
              </Anchor>
            </Alert>
          )
        }
      />
    </>
  )
}

/** Placeholder of the form while the book loads. */
function FormSkeleton() {
  return (
    <div className={classes.form} aria-busy="true">
      <div className={classes.beside}>
        <Skeleton className={classes.coverSkeleton} />
      </div>
      {BOOK_FIELDS.filter(isUpdateField).map((field) => (
        <div key={field}>
          <Skeleton height={14} width="7rem" mb={8} />
          <Skeleton height={field === 'description' ? 160 : 42} />
        </div>
      ))}
    </div>
  )
}
