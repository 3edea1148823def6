import { Library } from 'lucide-react'
import type { Lazy, Screens } from '../../lib/screen'

export const screens = {
  toShelve: {
    path: '/to-shelve',
    for: 'admin',
    load: (): Lazy => import('./ToShelveScreen'),
    words: ['copies', 'desk'],
    may: 'desk',
    label: 'app.nav.toShelve',
    icon: Library,
    at: 23,
    place: 'more',
  },
} as const satisfies Screens
