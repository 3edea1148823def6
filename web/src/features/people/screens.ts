import { UsersRound } from 'lucide-react'
import type { Lazy, Screens } from '../../lib/screen'

export const screens = {
  people: {
    path: '/people',
    for: 'admin',
    load: (): Lazy => import('./PeopleScreen'),
    words: ['labels', 'people'],
    label: 'app.nav.people',
    icon: UsersRound,
    at: 14,
    place: 'wide',
    list: true,
  },
  person: {
    path: '/people/:id',
    for: 'admin',
    load: (): Lazy => import('./PersonScreen'),
    words: ['activity', 'copies', 'holds', 'loans', 'money', 'people', 'profile'],
  },
  promote: {
    path: '/promote',
    for: 'admin',
    load: (): Lazy => import('./PromoteScreen'),
    words: ['people'],
    may: 'people',
  },
  noDues: { path: '/no-dues/:id', for: 'everybody', load: (): Lazy => import('./NoDuesScreen'), words: ['people'] },
  importPeople: {
    path: '/import-people',
    for: 'admin',
    load: (): Lazy => import('./ImportScreen'),
    words: ['copies', 'people'],
    may: 'people',
  },
} as const satisfies Screens
