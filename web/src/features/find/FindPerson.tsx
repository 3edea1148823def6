import { TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { peopleQuery, rollNumberQuery } from '../../api/people'
import type { Person } from '../../api/types'
import { t } from '../../lib/messages'
import { Found } from './Found'

type FindPersonProps = {
  label: string
  /** Id of a person who is left out of the matches. */
  except?: number
  /** Takes the focus when its dialog opens. */
  isFirst?: boolean
  pending?: boolean
  /** Resolves to true to empty the field for another search. */
  onChoose: (person: Person) => Promise<boolean> | void
}

/** Maximum number of matches shown. */
const SHOWN = 8
const TYPING_MS = 200

/** Finds a person by name, roll number or email; Enter takes the person whose roll number was typed or scanned. */
export function FindPerson({ label, except, isFirst = false, pending = false, onChoose }: FindPersonProps) {
  const queries = useQueryClient()
  const [typed, setTyped] = useState('')
  const wanted = typed.trim()
  const [q] = useDebouncedValue(wanted, TYPING_MS)
  const query = useQuery({ ...peopleQuery({ q, filter: null, batch: '', sort: '' }, null), enabled: q !== '' })
  const isAnswered = q !== '' && q === wanted && query.isSuccess && !query.isPlaceholderData
  const found = query.data?.people.filter(({ uid }) => uid !== except).slice(0, SHOWN) ?? []
  const list = useRef<HTMLUListElement>(null)
  const [failure, setFailure] = useState<unknown>(null)

  async function choose(person: Person) {
    if (pending) return
    if (await onChoose(person)) setTyped('')
  }

  async function enter() {
    if (wanted === '') return
    setFailure(null)
    try {
      const person = await queries.fetchQuery(rollNumberQuery(wanted))
      if (person && person.uid !== except) await choose(person)
      else list.current?.querySelector('button')?.focus()
    } catch (error) {
      setFailure(error)
    }
  }

  return (
    <div>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void enter()
        }}
      >
        <TextInput
          label={label}
          description={t('list.findPerson.hint')}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          data-autofocus={isFirst || undefined}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </form>
      <Found
        ref={list}
        none={isAnswered ? t('list.findPerson.nobody', { q }) : null}
        hits={(wanted === '' ? [] : found).map((person) => ({
          id: person.uid,
          facts: [person.name, person.rollNumber, person.batch],
          onChoose: () => void choose(person),
        }))}
        error={failure ?? query.error}
      />
    </div>
  )
}
