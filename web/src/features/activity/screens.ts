import { History } from 'lucide-react'
import type { Lazy, Screens } from '../../lib/screen'

export const screens = {
  activity: {
    path: '/activity',
    for: 'admin',
    load: (): Lazy => import('./ActivityScreen'),
    words: ['activity', 'books', 'copies', 'people', 'settings'],
    label: 'app.nav.activity',
    icon: History,
    at: 24,
    place: 'more',
  },
} as const satisfies Screens
