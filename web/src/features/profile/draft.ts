import type { Profile } from '../../api/types'
import { tabStorage } from '../../lib/storage'

const keyOf = (uid: number) => `draft:profile:${uid}`

/** An edit of the profile that is not saved yet, kept over a reload of this tab. */
export const profileDraft = {
  read(uid: number): Profile | null {
    try {
      const value: unknown = JSON.parse(tabStorage.read(keyOf(uid)) ?? 'null')
      return isProfile(value) ? value : null
    } catch {
      return null
    }
  },
  write: (uid: number, values: Profile) => tabStorage.write(keyOf(uid), JSON.stringify(values)),
  remove: (uid: number) => tabStorage.remove(keyOf(uid)),
}

function isProfile(value: unknown): value is Profile {
  if (typeof value !== 'object' || value === null) return false
  const fields = value as Record<string, unknown>
  return ['name', 'rollNumber', 'department'].every((field) => typeof fields[field] === 'string')
}
