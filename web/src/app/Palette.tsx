import { useDebouncedValue } from '@mantine/hooks'
import { createSpotlight, Spotlight } from '@mantine/spotlight'
import '@mantine/spotlight/styles.layer.css'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { bookHitsQuery } from '../api/books'
import { peopleHitsQuery, rollNumberQuery } from '../api/people'
import type { User } from '../api/types'
import { focusBack } from '../lib/focus'
import { t } from '../lib/messages'
import { paths } from '../lib/paths'
import { screensOf } from '../lib/screens'
import { Search } from 'lucide-react'
import { screenIcons } from './screenIcons'

const [store, palette] = createSpotlight()

const QUIET_MS = 150

/** Ctrl+K: goes to a screen or to a book by its name, and a librarian to a person by name or roll number. */
export default function Palette({ user, onClose }: { user: User | null; onClose: () => void }) {
  const [query, setQuery] = useState('')
  const navigate = useNavigate()
  const wanted = query.trim()
  const [asked] = useDebouncedValue(wanted, QUIET_MS)
  const hits = useQuery({ ...bookHitsQuery(asked), enabled: asked !== '' }).data
  const books = hits?.books ?? []
  const librarian = user?.role === 'admin'
  const named = useQuery({ ...peopleHitsQuery(asked), enabled: librarian && asked.length > 1 }).data ?? []
  const numbered = useQuery({ ...rollNumberQuery(asked), enabled: librarian && /\d/.test(asked) }).data
  // Whose roll number it is comes first.
  const people = numbered ? [numbered, ...named.filter(({ uid }) => uid !== numbered.uid)] : named
  const found = screensOf(user).filter(({ label }) => label && includes(t(label), wanted))
  const bookPath = librarian ? paths.bookDetail : paths.studentBookDetail

  useEffect(() => palette.open(), [])

  // Whoever goes nowhere is back where they were.
  const [before] = useState(() => document.activeElement)
  const leaving = useRef(false)
  useEffect(() => () => void (leaving.current || focusBack(before)), [before])
  function go(path: string) {
    leaving.current = true
    void navigate(path)
  }

  // Enter goes to the first hit, also when that arrives after the last key.
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (wanted === '' || !hits || list.current?.querySelector('[data-selected]')) return
    list.current?.querySelector('[data-action]')?.setAttribute('data-selected', 'true')
    store.updateState((state) => ({ ...state, selected: 0 }))
  }, [wanted, hits])

  return (
    <Spotlight.Root
      store={store}
      shortcut={null}
      query={query}
      onQueryChange={setQuery}
      onSpotlightClose={onClose}
      scrollable
      aria-label={t('app.palette.label')}
    >
      <Spotlight.Search
        placeholder={t('app.palette.hint')}
        aria-label={t('app.palette.hint')}
        leftSection={<Search />}
      />
      <Spotlight.ActionsList ref={list}>
        {found.length > 0 && (
          <Spotlight.ActionsGroup label={t('app.palette.screens')}>
            {found.map(({ path, label, icon }) => {
              const Icon = icon && screenIcons[icon]
              return (
                <Spotlight.Action
                  key={path}
                  label={label && t(label)}
                  leftSection={Icon && <Icon />}
                  onClick={() => go(path)}
                />
              )
            })}
          </Spotlight.ActionsGroup>
        )}
        {wanted !== '' && people.length > 0 && (
          <Spotlight.ActionsGroup label={t('app.palette.people')}>
            {people.map(({ uid, name, rollNumber, batch }) => (
              <Spotlight.Action
                key={`person ${uid}`}
                label={name}
                description={[rollNumber, batch].filter(Boolean).join(' · ')}
                dir="auto"
                onClick={() => go(paths.person(uid))}
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
        {found.length === 0 && books.length === 0 && people.length === 0 && (
          <Spotlight.Empty>{t('app.palette.nothing')}</Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  )
}

/** Without regard to case and Latin accents. */
function includes(text: string, part: string): boolean {
  const plain = (words: string) =>
    words
      .normalize('NFD')
      .replaceAll(/[\u0300-\u036f]/g, '')
      .toLowerCase()
  return plain(text).includes(plain(part))
}
