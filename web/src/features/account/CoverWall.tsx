import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { coverWallQuery } from '../../api/newest'
import classes from './CoverWall.module.css'

const PLACES = Array.from({ length: 15 }, (_, place) => place)

/** Decoration made of the library's covers; plain boards until they load. */
export default function CoverWall() {
  const { data } = useQuery(coverWallQuery)
  const [failed, setFailed] = useState<readonly number[]>([])
  const ids = data?.books.map((book) => book.id) ?? []
  return (
    <div className={classes.wall} aria-hidden="true">
      {PLACES.map((place) => {
        const id = ids[place]
        return (
          <div key={place} className={classes.board} data-tone={place % 5}>
            {id !== undefined && !failed.includes(id) && (
              <img
                src={`/library/covers/${id}.svg`}
                alt=""
                width={200}
                height={300}
                className={classes.cover}
                onError={() => setFailed((before) => [...before, id])}
              />
            )}
          </div>
        )
      })}
    </div>
  )
}
