import { Button, Group, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type KeyboardEvent, type Ref } from 'react'
import { configQuery } from '../../../api/config'
import { lookUpQuery } from '../../../api/lookUp'
import type { LookUp } from '../../../api/types'
import { labelOf } from '../../../api/validate'
import { isbn13 } from '../../../lib/isbn'
import { t } from '../../../lib/messages'
import classes from './BookForm.module.css'
import { isbnProblem } from './bookValues'
import { LookUpNote } from './LookUpNote'
import type { BookFormState } from './useBookForm'

/** Fields that a look-up fills, in the order of the form. */
const FIELDS = [
  'title',
  'author',
  'genre',
  'photoURL',
  'description',
  'callNumber',
  'publisher',
  'edition',
  'publishedYear',
  'language',
] as const

type Looked = { pending: boolean; error: Error | null; answer: LookUp | null; filled: readonly string[] }

const NOTHING: Looked = { pending: false, error: null, answer: null, filled: [] }

/** True if the operator named a source for look-ups. */
export const useLooksUp = (): boolean => useQuery(configQuery).data?.isbnLookUp ?? false

/** ISBN with a button that fills the blank fields of the form from other catalogues. */
export function IsbnField({ form, input }: { form: BookFormState['form']; input?: Ref<HTMLInputElement> }) {
  const queries = useQueryClient()
  const looksUp = useLooksUp()
  const [looked, setLooked] = useState(NOTHING)

  async function lookUp() {
    const typed = form.getValues().isbn
    const problem =
      typed.trim() === '' ? t('field.required', { label: labelOf('BookForm', 'isbn') }) : isbnProblem(typed)
    const isbn = isbn13(typed)
    if (isbn === null) return form.setFieldError('isbn', problem)
    if (looked.pending) return
    setLooked({ ...NOTHING, pending: true })
    try {
      const answer = await queries.fetchQuery({ ...lookUpQuery(isbn), staleTime: 0 })
      // The librarian may have typed another ISBN meanwhile.
      const isStill = isbn13(form.getValues().isbn) === isbn
      setLooked(isStill ? { ...NOTHING, answer, filled: fill(answer) } : NOTHING)
    } catch (error) {
      setLooked({ ...NOTHING, error: error as Error })
    }
  }

  /** Fills blank fields; returns their labels. */
  function fill({ found }: LookUp): string[] {
    if (found === null) return []
    const values = form.getValues()
    const filled = FIELDS.filter((field) => values[field].trim() === '' && (found[field] ?? '') !== '')
    form.setValues(Object.fromEntries(filled.map((field) => [field, String(found[field])])))
    return filled.map((field) => labelOf('BookForm', field))
  }

  function onKeyDown(event: KeyboardEvent) {
    // A scanner ends with Enter, which must not submit the form.
    if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    if (looksUp) void lookUp()
  }

  return (
    <div className={classes.isbn}>
      <TextInput
        ref={input}
        label={labelOf('BookForm', 'isbn')}
        description={t(looksUp ? 'books.lookUp.hint' : 'books.edit.isbnHint')}
        autoComplete="off"
        inputMode="numeric"
        spellCheck={false}
        {...form.getInputProps('isbn')}
        onKeyDown={onKeyDown}
        {...(looksUp && {
          inputContainer: (box) => (
            <Group gap="xs" wrap="nowrap" align="stretch">
              <div className={classes.grows}>{box}</div>
              <Button variant="default" h="auto" loading={looked.pending} onClick={() => void lookUp()}>
                {t('books.lookUp.action')}
              </Button>
            </Group>
          ),
        })}
      />
      <LookUpNote {...looked} />
    </div>
  )
}
