import { Alert, Button, Fieldset, Kbd, NativeSelect, NumberInput, Text, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useId, useRef, useState, type KeyboardEvent, type ReactNode, type Ref } from 'react'
import { highlightsQuery } from '../../../api/newest'
import { labelOf, lengthOf } from '../../../api/validate'
import type { BookStatus } from '../../../api/types'
import { ConfirmModal } from '../../../ui/ConfirmModal'
import { rich, t } from '../../../lib/messages'
import { focusFirstError } from '../../../lib/focus'
import { BarcodeList, withScanned } from '../../copies'
import { genreName } from '../genre'
import { languageName } from '../detail/bookRules'
import { statusText } from '../grid/statusText'
import { AmountInput } from '../../../ui/AmountInput'
import { StarsInput } from '../../../ui/Stars'
import classes from './BookForm.module.css'
import { barcodesOf, type BookValues, rules, statusAfter } from './bookValues'
import { CoverPreview } from './CoverPreview'
import { CoverUpload } from './CoverUpload'
import { IsbnField, useLooksUp } from './IsbnField'
import { counterText } from './counter'
import { AlreadyThere } from './AlreadyThere'
import COMMON_GENRES from './genres.json'
import type { BookFormState } from './useBookForm'

type BookFormProps = {
  state: BookFormState
  kind: 'add' | 'update'
  /** Ref of the first field. */
  first?: Ref<HTMLInputElement>
  submit: string
  pending: boolean
  /** Id of a saved book; missing for a new one. */
  id?: number
  onSave: (values: BookValues) => void
  onCancel: () => void
  /** Outcome of the last save, beside the buttons. */
  notice?: ReactNode
  /** Content under the preview, if there is room. */
  children?: ReactNode
}

/** Form of a book: its fields in one column, the cover beside them. */
export function BookForm({
  state,
  kind,
  first,
  submit,
  pending,
  id,
  onSave,
  onCancel,
  notice,
  children,
}: BookFormProps) {
  const { form, failure, restored, blocker } = state
  const { values } = form
  const element = useRef<HTMLFormElement>(null)
  const copies = useRef(Number(values.noOfBooks))
  const [scanned, setScanned] = useState('')
  const [turned, setTurned] = useState(0)
  // With look-ups, the form of a new book begins with the ISBN, because the look-up fills other fields.
  const beginsWithIsbn = useLooksUp() && kind === 'add'

  function changeCopies(typed: number | string) {
    // NumberInput passes numbers beyond the safe integer range as text.
    const number = typed === '' ? '' : Number(typed)
    form.setFieldValue('noOfBooks', number)
    // Remembers the last number, because the field may be blank while another number is typed.
    if (values.noOfBooks !== '') copies.current = values.noOfBooks
    if (number === '') return
    const status = statusAfter(values.status, copies.current, number)
    if (status === values.status) return
    form.setFieldValue('status', status)
    setTurned(turned + 1)
  }

  /** Adds a barcode left in the box, which the scanner did not end with Enter. */
  function withBoxEmptied(typed: BookValues): BookValues {
    if (scanned.trim() === '') return typed
    const { list } = withScanned(barcodesOf(typed), scanned)
    const whole = { ...typed, barcodes: list.join('\n'), noOfBooks: Math.max(list.length, Number(typed.noOfBooks)) }
    setScanned('')
    form.setValues(whole)
    return whole
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    element.current?.requestSubmit()
  }

  return (
    <>
      {restored && (
        <Alert color="teal" role="status" className={classes.restored}>
          {t('books.edit.restored')}
          <span className={classes.restoredActions}>
            <Button variant="default" size="compact-md" onClick={state.keepRestored}>
              {t('books.edit.keep')}
            </Button>
            <Button variant="subtle" size="compact-md" onClick={state.discard}>
              {t(kind === 'add' ? 'books.edit.add.empty' : 'books.edit.backToSaved')}
            </Button>
          </span>
        </Alert>
      )}
      {/* Ctrl+Enter saves from any field, also from the description, where Enter begins a new line. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <form
        ref={element}
        noValidate
        className={classes.form}
        onSubmit={form.onSubmit((typed) => {
          if (!pending) onSave(withBoxEmptied(typed))
        }, focusFirstError)}
        onKeyDown={onKeyDown}
      >
        {beginsWithIsbn && <IsbnField form={form} input={first} />}
        <TextInput
          ref={beginsWithIsbn ? undefined : first}
          label={labelOf('BookForm', 'title')}
          required
          withAsterisk={false}
          autoComplete="off"
          classNames={{ input: classes.anyScript }}
          {...form.getInputProps('title')}
        />
        <TextInput
          label={labelOf('BookForm', 'author')}
          required
          withAsterisk={false}
          autoComplete="off"
          classNames={{ input: classes.anyScript }}
          {...form.getInputProps('author')}
        />
        {kind === 'add' && <AlreadyThere title={values.title} author={values.author} />}
        <Suggested
          label={labelOf('BookForm', 'genre')}
          suggest={(book) => book.genre}
          more={COMMON_GENRES}
          nameOf={genreName}
          {...form.getInputProps('genre')}
        />
        <TextInput
          label={labelOf('BookForm', 'photoURL')}
          description={t('books.edit.photoHint')}
          required
          withAsterisk={false}
          inputMode="url"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          {...form.getInputProps('photoURL')}
        />
        <CoverUpload
          value={values.photoURL}
          onUse={(address) => form.setFieldValue('photoURL', address)}
          onRemove={() =>
            form.setFieldValue('photoURL', id === undefined ? '' : `${location.origin}/library/covers/${id}.svg`)
          }
        />
        <aside className={classes.beside} aria-label={t('books.edit.cover.label')}>
          <CoverPreview
            values={values}
            id={id ?? null}
            onUseDrawn={(address) => form.setFieldValue('photoURL', address)}
          />
          {children}
        </aside>
        <Textarea
          label={labelOf('BookForm', 'description')}
          required
          withAsterisk={false}
          autosize
          minRows={6}
          maxRows={18}
          // Leaves room to exceed the limit and see the message, but not to paste a whole file.
          maxLength={2 * rules.description.maxLength}
          description={<span className="tabular">{counterText(lengthOf(values.description.trim()))}</span>}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          classNames={{ input: classes.anyScript, description: classes.counter }}
          {...form.getInputProps('description')}
        />
        <NumberInput
          label={labelOf('BookForm', 'noOfBooks')}
          required
          withAsterisk={false}
          min={0}
          clampBehavior="none"
          className={classes.short}
          {...form.getInputProps('noOfBooks')}
          onChange={changeCopies}
        />
        {kind === 'add' && (
          <BarcodeList
            label={t('books.edit.add.barcodes')}
            description={t('books.edit.add.barcodesHint')}
            value={barcodesOf(values)}
            text={scanned}
            onText={setScanned}
            onChange={(barcodes) => {
              form.setFieldValue('barcodes', barcodes.join('\n'))
              form.setErrors((errors) =>
                Object.fromEntries(Object.entries(errors).filter(([field]) => !field.startsWith('barcodes'))),
              )
              // There must be at least as many copies as scanned barcodes.
              if (barcodes.length > Number(values.noOfBooks)) changeCopies(barcodes.length)
            }}
            errors={form.errors as Record<string, string>}
          />
        )}
        <Suggested
          label={labelOf('BookForm', 'location')}
          description={t('books.edit.locationHint')}
          suggest={(book) => book.location}
          {...form.getInputProps('location')}
        />
        <div>
          <NativeSelect
            key={turned}
            label={labelOf('BookForm', 'status')}
            data={rules.status.values.map((value) => ({ value, label: statusText(value) }))}
            className={classes.short}
            classNames={{ input: turned > 0 ? classes.turned : undefined }}
            {...form.getInputProps('status')}
            onChange={(event) => form.setFieldValue('status', event.currentTarget.value as BookStatus)}
          />
          <Text size="sm" c="dimmed" role="status" className={classes.below}>
            {statusNote(values, turned > 0)}
          </Text>
        </div>
        {kind === 'add' && (
          <div data-path="rating">
            <StarsInput
              label={labelOf('BookForm', 'rating')}
              value={values.rating}
              onChange={(stars) => form.setFieldValue('rating', stars)}
              error={typeof form.errors['rating'] === 'string' ? form.errors['rating'] : null}
            />
          </div>
        )}
        <Imprint form={form} hasIsbn={!beginsWithIsbn} />
        {failure && (
          <Alert color="red" role="alert" title={failure.message}>
            {failure.detail}
          </Alert>
        )}
        {notice}
        <div className={classes.actions}>
          <Button type="submit" size="md" variant={state.conflict ? 'default' : 'filled'} loading={pending}>
            {submit}
          </Button>
          <Button variant="default" size="md" onClick={onCancel}>
            {t('common.cancel')}
          </Button>
          <Text size="sm" c="dimmed" className={classes.hint}>
            {rich('books.edit.shortcut', { key: (name) => <Kbd>{name}</Kbd> })}
          </Text>
        </div>
      </form>
      <ConfirmModal
        opened={blocker.state === 'blocked'}
        title={t('books.edit.leave.question')}
        confirm={t('books.edit.leave.action')}
        cancel={t('books.edit.keep')}
        onConfirm={() => blocker.state === 'blocked' && blocker.proceed()}
        onClose={() => blocker.state === 'blocked' && blocker.reset()}
      >
        {t('books.edit.leave.what')}
      </ConfirmModal>
    </>
  )
}

/** Optional fields: publication data, call number and price. */
function Imprint({ form, hasIsbn }: { form: BookFormState['form']; hasIsbn: boolean }) {
  const plain = { autoComplete: 'off' } as const
  const words = { ...plain, classNames: { input: classes.anyScript } }
  const { language } = form.values
  return (
    <Fieldset legend={t('books.edit.imprint')} className={classes.imprint}>
      {hasIsbn && <IsbnField form={form} />}
      <TextInput
        {...words}
        label={labelOf('BookForm', 'callNumber')}
        description={t('books.edit.callNumberHint')}
        {...form.getInputProps('callNumber')}
      />
      <TextInput {...words} label={labelOf('BookForm', 'publisher')} {...form.getInputProps('publisher')} />
      <TextInput {...words} label={labelOf('BookForm', 'edition')} {...form.getInputProps('edition')} />
      <TextInput
        {...plain}
        label={labelOf('BookForm', 'publishedYear')}
        inputMode="numeric"
        {...form.getInputProps('publishedYear')}
      />
      <NativeSelect
        label={labelOf('BookForm', 'language')}
        data={languagesWith(language)}
        {...form.getInputProps('language')}
      />
      <AmountInput
        label={labelOf('BookForm', 'price')}
        description={t('books.edit.priceHint')}
        {...form.getInputProps('price')}
      />
    </Fieldset>
  )
}

/** Codes of the languages offered: those of most Indian libraries. The book's own language is added to them. */
const LANGUAGES = 'ar as bn de en es fa fr gu hi ja kn kok ml mni mr ne or pa ru sa sd ta te ur zh'.split(' ')

function languagesWith(own: string) {
  const codes = own === '' || LANGUAGES.includes(own) ? LANGUAGES : [...LANGUAGES, own]
  const named = codes.map((value) => ({ value, label: languageName(value) }))
  return [
    { value: '', label: t('books.detail.notKnown') },
    ...named.toSorted((one, other) => one.label.localeCompare(other.label)),
  ]
}

/** Explains the status: set by hand, following the number of copies, or just changed with it. */
function statusNote({ noOfBooks, status }: BookValues, turned: boolean): string {
  if (noOfBooks === '') return ''
  const has = noOfBooks > 0
  if (has !== (status === 'Available')) return t('books.edit.status.byHand')
  if (!turned) return t('books.edit.status.follows')
  return t(has ? 'books.edit.status.nowAvailable' : 'books.edit.status.nowNotAvailable')
}

type SuggestedProps = {
  label: string
  description?: string
  suggest: (book: { genre: string; location: string }) => string
  more?: readonly string[]
  /** Name in the page's language: browsers suggest a value by its name too. */
  nameOf?: (value: string) => string
}

/** Text input with suggestions: the values of the library's newest books, and `more`. */
function Suggested({ suggest, more, nameOf, ...input }: SuggestedProps) {
  const list = useId()
  const books = useQuery(highlightsQuery).data?.books ?? []
  const offered = [...new Set([...books.map(suggest), ...(more ?? [])])].filter(Boolean).toSorted()
  return (
    <>
      <TextInput
        required
        withAsterisk={false}
        autoComplete="off"
        list={list}
        classNames={{ input: classes.anyScript }}
        {...input}
      />
      <datalist id={list}>
        {offered.map((text) => (
          <option key={text} value={text}>
            {nameOf?.(text) ?? text}
          </option>
        ))}
      </datalist>
    </>
  )
}
