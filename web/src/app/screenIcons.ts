import type { IconName } from '../lib/screens'
import {
  BookOpenCheck,
  History,
  House,
  Library,
  LogIn,
  Pencil,
  Plus,
  Settings,
  Sparkles,
  Trash2,
  UserPlus,
  UserRound,
} from 'lucide-react'

/** The drawing of each name in the table of screens. */
export const screenIcons = {
  home: House,
  loans: BookOpenCheck,
  edit: Pencil,
  delete: Trash2,
  add: Plus,
  profile: UserRound,
  popular: Sparkles,
  signIn: LogIn,
  register: UserPlus,
  toShelve: Library,
  settings: Settings,
  activity: History,
} as const satisfies Record<IconName, typeof House>
