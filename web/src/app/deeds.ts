import type { Capability, User } from '../api/types'
import type { PlainKey } from '../lib/messages'
import { paths } from '../screens'

type Deed = { label: PlainKey; to: () => string; state?: unknown; may?: Capability }

/** Tasks of librarians that have no link of their own in the navigation; one line each. */
const DEEDS: readonly Deed[] = [
  { label: 'app.deed.addPerson', to: paths.people, state: { rollNumber: '' }, may: 'people' },
  { label: 'app.deed.importPeople', to: paths.importPeople, may: 'people' },
  { label: 'app.deed.importBooks', to: paths.importBooks, may: 'catalogue' },
  { label: 'app.deed.promote', to: paths.promote, may: 'people' },
  { label: 'app.deed.signInCode', to: paths.people, may: 'people' },
  { label: 'app.deed.bookDrop', to: paths.desk, state: { drop: true }, may: 'desk' },
  { label: 'app.deed.closeDay', to: paths.deskToday, may: 'desk' },
  { label: 'app.deed.overdue', to: () => `${paths.fine()}?due=overdue&sort=batch` },
  { label: 'app.deed.dueToday', to: () => `${paths.fine()}?due=today` },
  { label: 'app.deed.missing', to: () => `${paths.toShelve()}?state=missing`, may: 'desk' },
]

/** Returns the tasks that this person may do. */
export const deedsOf = (user: User | null): readonly Deed[] =>
  user?.role === 'admin' ? DEEDS.filter(({ may }) => may === undefined || user.capabilities.includes(may)) : []
