import { useEffect, useState } from 'react'
import type { Person } from '../../api/types'
import { photoOf } from '../../lib/photoOf'

/** Photos fetched at the same time. */
const AT_ONCE = 6

/**
 * Fetches the photos of these people: addresses of this page by the person's id, or null until all are there. A printed
 * page does not wait for pictures.
 */
export function usePhotos(people: readonly Person[]): ReadonlyMap<number, string> | null {
  const [photos, setPhotos] = useState<ReadonlyMap<number, string> | null>(null)
  useEffect(() => {
    const made = new Map<number, string>()
    const over = new AbortController()
    const rest = people.flatMap((person) => {
      const address = photoOf(person)
      return address === null ? [] : [{ uid: person.uid, address }]
    })
    async function fetchRest(): Promise<void> {
      for (let next = rest.pop(); next && !over.signal.aborted; next = rest.pop()) {
        // Each of the six takes the next photo once it has one.
        // oxlint-disable-next-line no-await-in-loop
        const picture = await fetchPicture(next.address, over.signal)
        if (picture && !over.signal.aborted) made.set(next.uid, URL.createObjectURL(picture))
      }
    }
    void Promise.all(Array.from({ length: AT_ONCE }, fetchRest)).then(() => !over.signal.aborted && setPhotos(made))
    return () => {
      over.abort()
      for (const address of made.values()) URL.revokeObjectURL(address)
    }
  }, [people])
  return photos
}

/** Fetches a picture; null if it cannot be fetched: the card is then printed without it. */
async function fetchPicture(address: string, signal: AbortSignal): Promise<Blob | null> {
  try {
    const answer = await fetch(address, { signal })
    return answer.ok ? await answer.blob() : null
  } catch {
    return null
  }
}
