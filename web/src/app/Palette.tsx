import { useDebouncedValue } from '@mantine/hooks'
import { createSpotlight, Spotlight } from '@mantine/spotlight'
import '@mantine/spotlight/styles.layer.css'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import { useNavigate } from 'react-router'
import { bookHitsQuery } from '../api/books'
import { peopleHitsQuery, rollNumberQuery } from '../api/people'
import type { User } from '../api/types'
import { focusBack } from '../lib/focus'
import { t } from '../lib/messages'
import { paths, screensOf } from '../screens'
import { Bell, Search } from 'lucide-react'
import { deedsOf } from './deeds'
import classes from './Palette.module.css'

const [store, palette] = createSpotlight()

const QUIET_MS = 150

/** Ctrl+K: opens a screen or a book by name, and for librarians a person by name or roll number. */
export default function Palette({ user, onClose }: { user: User | null; onClose: () => void }) {
  const [query, setQuery] = useState('')
  const navigate = useNavigate()
  const wanted = query.trim()
  const [asked] = useDebouncedValue(wanted, QUIET_MS)
  const librarian = user?.role === 'admin'
  const booksQuery = useQuery({ ...bookHitsQuery(asked), enabled: asked !== '' })
  const peopleQuery = useQuery({ ...peopleHitsQuery(asked), enabled: librarian && asked.length > 1 })
  const numberQuery = useQuery({ ...rollNumberQuery(asked), enabled: librarian && /\d/.test(asked) })
  const answered = asked === wanted && !booksQuery.isFetching && !peopleQuery.isFetching && !numberQuery.isFetching
  const books = booksQuery.data?.books ?? []
  const named = peopleQuery.data ?? []
  const numbered = numberQuery.data
  // The person with this roll number comes first.
  const people = numbered ? [numbered, ...named.filter(({ uid }) => uid !== numbered.uid)] : named
  const found = screensOf(user).filter(({ label }) => label && includes(t(label), wanted))
  const deeds = wanted === '' ? [] : deedsOf(user).filter(({ label }) => includes(t(label), wanted))
  const mayLend = user?.capabilities.includes('desk') === true
  const bookPath = librarian ? paths.bookDetail : paths.studentBookDetail

  useEffect(() => palette.open(), [])

  // Closing without a choice returns the focus.
  const [before] = useState(() => document.activeElement)
  const leaving = useRef(false)
  useEffect(() => () => void (leaving.current || focusBack(before)), [before])
  function go(path: string, state?: unknown) {
    leaving.current = true
    void navigate(path, { state })
  }

  // Until the answer arrives, the list shows the results of the previous text. Enter refers to the typed text: it waits
  // for the answer, unless a screen matches or the user has chosen a line with an arrow key.
  const list = useRef<HTMLDivElement>(null)
  const chosenIn = useRef('')
  const enterFor = useRef('')
  // On Enter, the spotlight clicks the chosen line and does not pass on the Shift key.
  const isShifted = useRef(false)
  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return
    isShifted.current = event.key === 'Enter' && event.shiftKey
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') chosenIn.current = wanted
    if (event.key !== 'Enter' || answered || found.length + deeds.length > 0 || chosenIn.current === wanted) return
    event.preventDefault()
    event.stopPropagation()
    enterFor.current = wanted
  }
  useEffect(() => {
    if (wanted === '' || !answered || chosenIn.current === wanted) return
    const actions = list.current?.querySelectorAll<HTMLElement>('[data-action]') ?? []
    actions.forEach((action, at) => action.toggleAttribute('data-selected', at === 0))
    store.updateState((state) => ({ ...state, selected: actions.length > 0 ? 0 : -1 }))
    if (enterFor.current === wanted) actions[0]?.click()
    enterFor.current = ''
  }, [wanted, answered])

  return (
    <Spotlight.Root
      store={store}
      shortcut={null}
      query={query}
      onQueryChange={setQuery}
      onSpotlightClose={onClose}
      onKeyDownCapture={onKeyDown}
      scrollable
      attributes={{ content: { 'aria-label': t('app.palette.label') } }}
      classNames={{ actionDescription: classes.facts ?? '' }}
    >
      <Spotlight.Search
        placeholder={t('app.palette.hint')}
        aria-label={t('app.palette.hint')}
        leftSection={<Search />}
      />
      <Spotlight.ActionsList ref={list}>
        {found.length > 0 && (
          <Spotlight.ActionsGroup label={t('app.palette.screens')}>
            {found.map(({ path, label, icon: Icon }) => {
              return (
                <Spotlight.Action
                  key={path}
                  label={label && t(label)}
                  // The bell of the bar is no screen's icon, as it would be in the first load.
                  leftSection={Icon ? <Icon /> : <Bell />}
                  onClick={() => go(path)}
                />
              )
            })}
          </Spotlight.ActionsGroup>
        )}
        {deeds.length > 0 && (
          <Spotlight.ActionsGroup label={t('app.palette.deeds')}>
            {deeds.map(({ label, to, state }) => (
              <Spotlight.Action key={label} label={t(label)} onClick={() => go(to(), state)} />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {wanted !== '' && people.length > 0 && (
          <Spotlight.ActionsGroup label={t(mayLend ? 'app.palette.peopleOrDesk' : 'app.palette.people')}>
            {people.map(({ uid, name, rollNumber, batch }) => (
              <Spotlight.Action
                key={`person ${uid}`}
                label={name}
                description={[rollNumber, batch].filter(Boolean).join(' · ')}
                dir="auto"
                onClick={({ shiftKey }) => {
                  if (mayLend && rollNumber && (shiftKey || isShifted.current)) go(paths.desk(), { card: rollNumber })
                  else go(paths.person(uid))
                }}
              />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {wanted !== '' && books.length > 0 && (
          <Spotlight.ActionsGroup label={t('app.palette.books')}>
            {books.map((book) => (
              <Spotlight.Action
                key={book.id}
                label={book.title}
                description={book.author}
                dir="auto"
                onClick={() => go(bookPath(book.id))}
              />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {found.length + deeds.length + books.length + people.length === 0 && (
          <Spotlight.Empty>{t('app.palette.nothing')}</Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  )
}

/** Ignores case and Latin accents. */
function includes(text: string, part: string): boolean {
  const plain = (words: string) =>
    words
      .normalize('NFD')
      .replaceAll(/[\u0300-\u036f]/g, '')
      .toLowerCase()
  return plain(text).includes(plain(part))
}
