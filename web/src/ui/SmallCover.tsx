import { useState, type ReactNode } from 'react'
import classes from './SmallCover.module.css'

/** Drawn cover of a book in a list; a plain board while it loads, if it fails, and for a deleted title (null). */
export function SmallCover({ id }: { id: number | null }) {
  const [hasCover, setHasCover] = useState(true)
  return (
    <div className={classes.cover}>
      {id !== null && hasCover && (
        <img
          src={`/library/covers/${id}.svg`}
          alt=""
          width={48}
          height={72}
          loading="lazy"
          onError={() => setHasCover(false)}
        />
      )}
    </div>
  )
}

/** Title of a row with the book's cover before it. */
export const CoveredTitle = ({ id, children }: { id: number | null; children: ReactNode }) => (
  <div className={classes.covered}>
    <SmallCover id={id} />
    {children}
  </div>
)
