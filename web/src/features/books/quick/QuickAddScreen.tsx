import { Alert, Anchor, Button, Text, TextInput, Title } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type RefObject } from 'react'
import { Link, useLocation, useNavigate } from 'react-router'
import { addAccession, notDescribedQuery, titleWithIsbnQuery } from '../../../api/accessions'
import { useOwner } from '../../../api/draft'
import { lookUpQuery } from '../../../api/lookUp'
import { useActionForm } from '../../../api/form'
import type { BookDetail, FoundBook } from '../../../api/types'
import { labelOf } from '../../../api/validate'
import { amountOf } from '../../../lib/amount'
import { draftOf } from '../../../lib/drafts'
import { quoted } from '../../../lib/format'
import { isbn13 } from '../../../lib/isbn'
import { useKeyboardWedge } from '../../../lib/keyboardWedge'
import { merge } from '../../../lib/merge'
import { rich, t } from '../../../lib/messages'
import { messageOf } from '../../../lib/problem'
import { paths } from '../../../screens'
import { AmountInput } from '../../../ui/AmountInput'
import { EmptyState } from '../../../ui/EmptyState'
import { ListState } from '../../../ui/ListState'
import { PageHeader } from '../../../ui/PageHeader'
import { ShowMore } from '../../../ui/ShowMore'
import { BarcodeList, withScanned } from '../../copies'
import { languageName } from '../detail/bookRules'
import { isbnProblem, priceProblem } from '../edit/bookValues'
import { useLooksUp } from '../edit/IsbnField'
import { LookUpNote } from '../edit/LookUpNote'
import classes from './QuickAddScreen.module.css'

const EMPTY = { isbn: '', title: '', author: '', location: '', barcodes: '', price: '', count: '' }
type Values = typeof EMPTY

/** Navigation state from the desk: a scanned barcode that no copy has. */
type Offered = { barcode?: string }

const listOf = (values: Values): string[] => values.barcodes.split('\n').filter(Boolean)
const orNull = (text: string): string | null => (text.trim() === '' ? null : text)

/** Found values without a field on this screen; description and picture are left to the whole form. */
const imprintOf = ({ genre, publisher, edition, publishedYear, language, callNumber }: FoundBook) => ({
  genre: orNull(genre),
  publisher: orNull(publisher),
  edition: orNull(edition),
  publishedYear,
  language,
  callNumber: orNull(callNumber),
})

/** Found values that fill fields. */
const NOTHING_FILLED = { title: '', author: '' }

function inputOf(values: Values, known: BookDetail | null, found: FoundBook | null) {
  const barcodes = listOf(values)
  const count = values.count.trim() === '' ? null : Number(values.count)
  return {
    known: known && { id: known.id, title: known.title },
    book: {
      isbn: orNull(values.isbn),
      title: values.title,
      author: values.author,
      location: values.location,
      price: amountOf(values.price),
      barcodes,
      count,
      ...(found && imprintOf(found)),
    },
    copies: { barcodes, count: count ?? (barcodes.length === 0 ? 1 : null) },
  }
}

/** Adds books one after the other by scanner and keyboard; their descriptions follow later. */
export default function QuickAddScreen() {
  return (
    <>
      <PageHeader title={t('books.quick.title')} />
      <div className={classes.screen}>
        <QuickAdd />
        <NotDescribed />
      </div>
    </>
  )
}

function QuickAdd() {
  const owner = useOwner()
  const draft = useMemo(() => draftOf(owner, 'quick-add', EMPTY), [owner])
  const [scanned, setScanned] = useState('')
  const [note, setNote] = useState<string | null>(null)
  const barcode = (useLocation().state as Offered | null)?.barcode
  const navigate = useNavigate()
  const isbn = useRef<HTMLInputElement>(null)
  const title = useRef<HTMLInputElement>(null)
  const author = useRef<HTMLInputElement>(null)
  const location = useRef<HTMLInputElement>(null)
  const barcodes = useRef<HTMLInputElement>(null)

  const { form, pending, failure, onSubmit } = useActionForm({
    action: addAccession,
    initial: EMPTY,
    inputOf: (values: Values) => inputOf(values, known, found),
    draft,
    validate: {
      isbn: isbnProblem,
      title: (typed) =>
        known === null && typed.trim() === '' ? t('field.required', { label: labelOf('BookForm', 'title') }) : null,
      price: priceProblem,
      count: (typed) => (typed.trim() === '' || /^[1-9]\d*$/.test(typed.trim()) ? null : t('books.quick.countWrong')),
    },
    done: ({ title: of, copies, isNew }) =>
      t(isNew ? 'books.quick.added' : 'books.quick.copiesAdded', { title: of, copies }),
    onDone: (_added, sent) => {
      // The location, and input newer than the save, stay for the next book.
      const next = { ...EMPTY, location: sent.location }
      form.setValues(merge(sent, next, form.getValues()).values)
      setNote(null)
      isbn.current?.focus()
    },
  })
  const { values } = form
  const number = isbn13(values.isbn)
  const search = useQuery({ ...titleWithIsbnQuery(number ?? ''), enabled: number !== null })
  const known = number === null ? null : (search.data ?? null)
  const looksUp = useLooksUp()
  const isNew = number !== null && search.data === null
  const lookUp = useQuery({ ...lookUpQuery(number ?? ''), enabled: looksUp && isNew })
  const found = isNew ? (lookUp.data?.found ?? null) : null
  const filled = useRef(NOTHING_FILLED)
  const [labels, setLabels] = useState<string[]>([])

  // Fills fields that are blank or were filled for another ISBN; text typed by the librarian stays.
  useEffect(() => {
    const { title: titleNow, author: authorNow } = form.getValues()
    const before = filled.current
    const offered = found ?? NOTHING_FILLED
    const takes = (typed: string, own: string) => typed.trim() === '' || typed === own
    const fills = { title: takes(titleNow, before.title), author: takes(authorNow, before.author) }
    filled.current = { title: offered.title, author: offered.author }
    form.setValues({
      ...(fills.title && { title: offered.title }),
      ...(fills.author && { author: offered.author }),
    })
    const fields = (['title', 'author'] as const).filter((field) => fills[field] && offered[field] !== '')
    setLabels(fields.map((field) => labelOf('BookForm', field)))
    // The form's identity changes with each render.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [found])

  useEffect(() => isbn.current?.focus({ preventScroll: true }), [])
  useEffect(() => {
    if (barcode === undefined) return
    const { barcodes: listed } = form.getValues()
    if (!listed.split('\n').includes(barcode))
      form.setFieldValue('barcodes', [listed, barcode].filter(Boolean).join('\n'))
    // Takes the barcode once: a reload after the save must not offer the barcode again.
    void navigate(paths.quickAdd(), { replace: true, state: null })
    // The form's identity changes with each render.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [barcode])
  // For a known title the fields of a new title disappear, and the barcode box gets the focus for the next scan; but not
  // while a librarian types the ISBN, because the Enter that follows would save.
  useEffect(() => {
    if (known !== null && document.activeElement !== isbn.current) barcodes.current?.focus()
  }, [known])

  function addBarcodes(code: string) {
    const { list, twice } = withScanned(listOf(values), code)
    setNote(twice.length > 0 ? t('copies.barcodes.twice', { barcodes: twice.join(', ') }) : null)
    form.setFieldValue('barcodes', list.join('\n'))
  }

  useKeyboardWedge(true, ({ code, target }) => {
    const read = /^97[89]\d{10}$/.test(code) || target === isbn.current ? isbn13(code) : null
    if (read === null) return addBarcodes(code)
    if (read !== number && number !== null && (values.title.trim() !== '' || values.barcodes !== '')) {
      setNote(t('books.quick.saveFirst'))
      return
    }
    setNote(null)
    form.setFieldValue('isbn', read)
    title.current?.focus()
  })

  /** Makes Enter move the focus to the next field; from an empty barcode box Enter saves. */
  const enterTo = (next: RefObject<HTMLInputElement | null>) => (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.ctrlKey || event.metaKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    const wrong = event.target === isbn.current ? isbnProblem(values.isbn) : null
    if (wrong !== null) return form.setFieldError('isbn', wrong)
    ;(known !== null ? barcodes : next).current?.focus()
  }

  const plain = { autoComplete: 'off', classNames: { input: classes.anyScript } }
  return (
    /* Ctrl+Enter saves from any field. */
    /* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */
    <form
      noValidate
      className={classes.form}
      onSubmit={(event) => {
        if (scanned.trim() !== '') {
          // A barcode left in the box is added first, without the scanner's Enter.
          event.preventDefault()
          addBarcodes(scanned)
          setScanned('')
          return
        }
        onSubmit(event)
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit()
      }}
    >
      <TextInput
        ref={isbn}
        label={labelOf('BookForm', 'isbn')}
        description={t('books.quick.isbnHint')}
        autoComplete="off"
        inputMode="numeric"
        spellCheck={false}
        {...form.getInputProps('isbn')}
        onKeyDown={enterTo(title)}
      />
      <div role="status">
        {known && (
          <Alert color="teal">
            {rich('books.quick.known', {
              title: quoted(known.title),
              copies: known.copies,
              free: known.noOfBooks,
              link: (words) => <Link to={paths.bookDetail(known.id)}>{words}</Link>,
            })}
          </Alert>
        )}
      </div>
      {looksUp && isNew && (
        <LookUpNote
          pending={lookUp.isFetching}
          error={lookUp.error}
          answer={lookUp.data ?? null}
          filled={labels}
          more={found === null ? '' : factsOf(found)}
          onAgain={() => void lookUp.refetch()}
        />
      )}
      {known === null && (
        <>
          <TextInput
            ref={title}
            label={labelOf('BookForm', 'title')}
            required
            withAsterisk={false}
            {...plain}
            {...form.getInputProps('title')}
            onKeyDown={enterTo(author)}
          />
          <TextInput
            ref={author}
            label={labelOf('BookForm', 'author')}
            {...plain}
            {...form.getInputProps('author')}
            onKeyDown={enterTo(location)}
          />
          <TextInput
            ref={location}
            label={labelOf('BookForm', 'location')}
            description={t('books.quick.locationHint')}
            {...plain}
            {...form.getInputProps('location')}
            onKeyDown={enterTo(barcodes)}
          />
        </>
      )}
      <BarcodeList
        label={t('books.quick.barcodes')}
        description={t('books.quick.barcodesHint')}
        value={listOf(values)}
        text={scanned}
        onText={setScanned}
        box={barcodes}
        onChange={(list) => {
          setNote(null)
          form.setFieldValue('barcodes', list.join('\n'))
          form.setErrors((errors) =>
            Object.fromEntries(Object.entries(errors).filter(([field]) => !field.startsWith('barcodes'))),
          )
        }}
        errors={form.errors as Record<string, string>}
      />
      <div className={classes.pair}>
        <TextInput
          label={t('books.quick.count')}
          inputMode="numeric"
          autoComplete="off"
          placeholder={String(Math.max(1, listOf(values).length))}
          {...form.getInputProps('count')}
        />
        {known === null && <AmountInput label={labelOf('BookForm', 'price')} {...form.getInputProps('price')} />}
      </div>
      {note !== null && (
        <Alert color="yellow" role="alert">
          {note}
        </Alert>
      )}
      {failure !== null && (
        <Alert color="red" role="alert">
          {t('books.quick.failed', { reason: messageOf(failure) })}
        </Alert>
      )}
      <div>
        <Button type="submit" size="md" loading={pending}>
          {t(known === null ? 'books.quick.submit' : 'books.quick.submitCopies')}
        </Button>
      </div>
    </form>
  )
}

/** Found facts in one line. */
const factsOf = ({ genre, publisher, edition, publishedYear, language, callNumber }: FoundBook): string =>
  [genre, publisher, edition, publishedYear, language === null ? '' : languageName(language), callNumber]
    .filter((fact) => fact !== '' && fact !== null)
    .join(' · ')

/** Titles that wait for a description, newest first. */
function NotDescribed() {
  const query = useInfiniteQuery(notDescribedQuery)
  const books = query.data?.pages.flatMap((page) => page.books) ?? []
  const total = query.data?.pages[0]?.total ?? 0
  return (
    <section aria-labelledby="not-described" className={classes.list}>
      <Title order={2} size="h4" id="not-described">
        {t('books.quick.notDescribed', { count: total })}
      </Title>
      <Text c="dimmed" size="sm">
        {t('books.quick.notDescribedHint')}
      </Text>
      <ListState query={query} lines={3}>
        {() =>
          books.length === 0 ? (
            <EmptyState message={t('books.quick.allDescribed')} />
          ) : (
            <>
              <ul>
                {books.map((book) => (
                  <li key={book.id}>
                    <Anchor component={Link} to={paths.updateBook(book.id)} dir="auto">
                      {book.title}
                    </Anchor>
                    <Text span c="dimmed" size="sm" dir="auto">
                      {[book.author, book.location, book.isbn].filter(Boolean).join(' · ')}
                    </Text>
                  </li>
                ))}
              </ul>
              <ShowMore query={query} label={t('books.quick.more')} />
            </>
          )
        }
      </ListState>
    </section>
  )
}
