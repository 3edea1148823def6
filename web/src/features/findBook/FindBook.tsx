import { TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { bookHitsQuery } from '../../api/books'
import { t } from '../../lib/messages'
import { Found } from '../find'

type FoundBook = { id: number; title: string }

type FindBookProps = {
  label: string
  /** Takes the focus when its dialog opens. */
  isFirst?: boolean
  /** Called at each change of the typed text. */
  onType?: () => void
  /** Resolves to true to empty the field for another search. */
  onChoose: (book: FoundBook) => Promise<boolean> | boolean
}

const TYPING_MS = 200

/** Finds a book by title, author or ISBN. */
export function FindBook({ label, isFirst = false, onType, onChoose }: FindBookProps) {
  const [typed, setTyped] = useState('')
  const wanted = typed.trim()
  const [q] = useDebouncedValue(wanted, TYPING_MS)
  const query = useQuery({ ...bookHitsQuery(q), enabled: q !== '' })
  const isAnswered = q !== '' && q === wanted && query.isSuccess && !query.isPlaceholderData
  const found = query.data?.books ?? []

  async function choose(book: FoundBook) {
    if (await onChoose(book)) setTyped('')
  }

  return (
    <div>
      <TextInput
        label={label}
        description={t('list.findBook.hint')}
        autoComplete="off"
        spellCheck={false}
        data-autofocus={isFirst || undefined}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value)
          onType?.()
        }}
      />
      <Found
        none={isAnswered ? t('list.findBook.none', { q }) : null}
        hits={(wanted === '' ? [] : found).map((book) => ({
          id: book.id,
          facts: [book.title, book.author],
          onChoose: () => void choose(book),
        }))}
        error={query.error}
      />
    </div>
  )
}
