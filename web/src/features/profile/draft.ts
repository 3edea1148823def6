import type { Profile } from '../../api/types'
import { draftOf, type Draft } from '../../lib/drafts'

/** An edit of the profile that is not saved yet. */
export const profileDraft = (uid: number): Draft<Profile> =>
  draftOf(uid, 'profile', { name: '', rollNumber: '', department: '' })
