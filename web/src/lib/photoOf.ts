import type { Person } from '../api/types'

/** Returns the address of a person's photo; null without one. */
export const photoOf = ({ uid, photo }: Pick<Person, 'uid' | 'photo'>): string | null =>
  photo === null ? null : `/library/api/v1/people/${uid}/photo?v=${photo}`
