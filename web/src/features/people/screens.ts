import { UsersRound } from 'lucide-react'
import type { Lazy, Screens } from '../../lib/screen'

export const screens = {
  people: {
    path: '/people',
    for: 'admin',
    load: (): Lazy => import('./PeopleScreen'),
    label: 'app.nav.people',
    icon: UsersRound,
    at: 20,
    place: 'more',
    list: true,
  },
  person: { path: '/people/:id', for: 'admin', load: (): Lazy => import('./PersonScreen') },
  promote: { path: '/promote', for: 'admin', load: (): Lazy => import('./PromoteScreen'), may: 'people' },
  noDues: { path: '/no-dues/:id', for: 'everybody', load: (): Lazy => import('./NoDuesScreen') },
  importPeople: { path: '/import-people', for: 'admin', load: (): Lazy => import('./ImportScreen'), may: 'people' },
} as const satisfies Screens
