import { ActionIcon, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { memo, useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import { Link } from 'react-router'
import { shelvesQuery } from '../../../api/shelves'
import type { Book } from '../../../api/types'
import { t } from '../../../lib/messages'
import { paths } from '../../../screens'
import { BookCover } from '../grid/BookCover'
import { mirrored, indexAfterMove, MOVES } from '../grid/bookGridRules'
import classes from './Shelves.module.css'
import { showWhole } from './showWhole'

/** Number of cover outlines shown while the shelves load. */
const OUTLINED = 12

type ShelvesProps = { above: readonly Book[] }

/**
 * Rows of books for a reader who has not searched; an empty row is left out. The popular row leaves out the books right
 * above it.
 */
function Shelves({ above }: ShelvesProps) {
  const { data, isError } = useQuery(shelvesQuery)
  if (isError) return null
  const seen = new Set(above.map(({ id }) => id))
  const shelves = [
    { title: t('books.shelves.popular'), books: data?.popular.filter(({ id }) => !seen.has(id)) },
    { title: t('books.shelves.department'), books: data?.department },
    { title: t('books.shelves.newest'), books: data?.newest },
    { title: t('books.shelves.returned'), books: data?.returned },
  ].filter(({ books }) => books?.length !== 0)
  return (
    <div className={classes.shelves}>
      {shelves.map(({ title, books }) => (
        <section key={title} aria-label={title} aria-busy={books === undefined} className={classes.shelf}>
          <h2 className={classes.title}>{title}</h2>
          {books ? <Covers books={books} /> : <Outlines />}
        </section>
      ))}
    </div>
  )
}

const idsOf = ({ above }: ShelvesProps) => above.map(({ id }) => id).join()

// The grid renders its first row with each page that it loads; the covers of the shelves stay.
export default memo(Shelves, (one, other) => idsOf(one) === idsOf(other))

const isRightToLeft = () => document.documentElement.dir === 'rtl'

function Covers({ books }: { books: readonly Book[] }) {
  const { row, sides, turn } = usePages()

  function onKeyDown(event: KeyboardEvent<HTMLUListElement>) {
    const move = MOVES[event.key]
    const links = [...event.currentTarget.querySelectorAll('a')]
    const index = links.findIndex((link) => link === document.activeElement)
    if (!move || index < 0) return
    // The row is one line, so the up and down keys scroll the page.
    const next = indexAfterMove(index, isRightToLeft() ? mirrored(move) : move, links.length, links.length)
    if (next === null || move === 'up' || move === 'down') return
    event.preventDefault()
    links[next]?.focus()
  }

  return (
    <>
      {(sides.before || sides.after) && (
        // For the pointer only: the keyboard reaches every book without these buttons.
        <div className={classes.turns}>
          <Turn label={t('books.shelves.previous')} isEnd={!sides.before} onTurn={() => turn(-1)}>
            <ChevronLeft data-flips />
          </Turn>
          <Turn label={t('books.shelves.next')} isEnd={!sides.after} onTurn={() => turn(1)}>
            <ChevronRight data-flips />
          </Turn>
        </div>
      )}
      {/* The list only handles arrow keys that bubble up from its links. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <ul ref={row} className={classes.row} onKeyDown={onKeyDown}>
        {books.map((book) => (
          <li key={book.id} className={classes.book}>
            <Link to={paths.studentBookDetail(book.id)} className={classes.link} title={book.title} onFocus={showWhole}>
              <BookCover book={book} alone />
            </Link>
          </li>
        ))}
      </ul>
    </>
  )
}

type TurnProps = { label: string; isEnd: boolean; onTurn: () => void; children: ReactNode }

function Turn({ label, isEnd, onTurn, children }: TurnProps) {
  return (
    <ActionIcon
      variant="default"
      radius="xl"
      size={32}
      tabIndex={-1}
      aria-label={label}
      disabled={isEnd}
      onClick={onTurn}
    >
      {children}
    </ActionIcon>
  )
}

/** Returns on which sides of a row more books follow, and a function that scrolls the row by its visible width. */
function usePages() {
  const row = useRef<HTMLUListElement>(null)
  const [sides, setSides] = useState({ before: false, after: false })

  useEffect(() => {
    const element = row.current
    if (!element) return
    const look = () => {
      const hidden = element.scrollWidth - element.clientWidth
      const passed = Math.abs(element.scrollLeft)
      const now = { before: passed > 1, after: passed < hidden - 1 }
      setSides((last) => (last.before === now.before && last.after === now.after ? last : now))
    }
    look()
    const watcher = new ResizeObserver(look)
    watcher.observe(element)
    element.addEventListener('scroll', look, { passive: true })
    return () => {
      watcher.disconnect()
      element.removeEventListener('scroll', look)
    }
  }, [])

  const turn = (direction: 1 | -1) => {
    const element = row.current
    element?.scrollBy({ left: element.clientWidth * direction * (isRightToLeft() ? -1 : 1) })
  }
  return { row, sides, turn }
}

function Outlines() {
  return (
    <div className={classes.row} aria-hidden="true">
      {Array.from({ length: OUTLINED }, (_, index) => (
        <div key={index} className={classes.book}>
          <Skeleton className={classes.outline} radius={4} />
        </div>
      ))}
    </div>
  )
}
