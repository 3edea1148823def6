import { useEffect, useState } from 'react'
import { t } from '../../../lib/messages'
import classes from './BookCover.module.css'
import { coverTurn } from './coverTurns'

type Coverable = { id: number; title: string; author: string; photoURL: string }

type BookCoverProps = {
  book: Coverable
  /** True if no title is visible beside the cover: the book's title is then its text alternative. */
  alone?: boolean
  /** Above the fold: fetched at once, not when scrolled near. */
  eager?: boolean
}

type Stage = 'photo' | 'drawn' | 'plain'

/** Cover drawn by the server; replaces a missing or failed picture. */
const drawnCover = (id: number) => `/library/covers/${id}.svg`

/** Cover in the ratio 2:3: the picture, else the drawn cover, else the title on a plain board. */
export function BookCover({ book, alone = false, eager = false }: BookCoverProps) {
  // Keyed by the picture, so that an edited book loads its new photo.
  return <Cover key={`${book.id} ${book.photoURL}`} book={book} alone={alone} eager={eager} />
}

function Cover({ book, alone, eager }: Required<BookCoverProps>) {
  const [stage, setStage] = useState<Stage>(book.photoURL === '' ? 'drawn' : 'photo')
  const [loaded, setLoaded] = useState(false)
  const [begun, setBegun] = useState(false)
  useEffect(() => coverTurn(() => setBegun(true)), [])
  const alt = alone ? t('books.cover', { title: book.title }) : ''

  if (stage === 'plain') {
    return (
      <div
        className={classes.cover}
        data-plain={book.id % 6}
        {...(alone ? { role: 'img', 'aria-label': alt } : { 'aria-hidden': true })}
      >
        <span className={classes.plainTitle} dir="auto">
          {book.title}
        </span>
        <span className={classes.plainAuthor} dir="auto">
          {book.author}
        </span>
      </div>
    )
  }
  // Photographs are on other hosts, which may be slow or blocked: the drawn cover fills their place meanwhile.
  const under = begun && stage === 'photo' && !loaded ? `url(${drawnCover(book.id)})` : undefined
  return (
    <div
      className={classes.cover}
      data-loading={!loaded || undefined}
      data-eager={eager || undefined}
      style={{ backgroundImage: under }}
    >
      <img
        src={!begun ? undefined : stage === 'photo' ? book.photoURL : drawnCover(book.id)}
        alt={alt}
        width={200}
        height={300}
        loading={eager ? 'eager' : 'lazy'}
        decoding="async"
        referrerPolicy="no-referrer"
        className={classes.image}
        onLoad={() => setLoaded(true)}
        onError={() => setStage(stage === 'photo' && book.photoURL !== drawnCover(book.id) ? 'drawn' : 'plain')}
      />
    </div>
  )
}
