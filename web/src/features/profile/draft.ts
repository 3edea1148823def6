import type { Profile } from '../../api/types'
import { draftOf, type Draft } from '../../lib/drafts'

/** Draft of an unsaved edit of the profile. */
export const profileDraft = (uid: number): Draft<Profile> =>
  draftOf(uid, 'profile', { name: '', rollNumber: '', department: '' })
