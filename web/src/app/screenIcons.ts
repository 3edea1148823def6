import type { IconName } from '../lib/screens'
import {
  BookOpenCheck,
  Coins,
  History,
  Hourglass,
  House,
  Library,
  LogIn,
  Pencil,
  Plus,
  ScanBarcode,
  Settings,
  Sparkles,
  Trash2,
  UserPlus,
  UserRound,
  UsersRound,
} from 'lucide-react'

/** The drawing of each name in the table of screens. */
export const screenIcons = {
  desk: ScanBarcode,
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
  people: UsersRound,
  holds: Hourglass,
  money: Coins,
} as const satisfies Record<IconName, typeof House>
