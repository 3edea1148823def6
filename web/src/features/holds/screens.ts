import { Hourglass } from 'lucide-react'
import type { Lazy, Screens } from '../../lib/screen'

export const screens = {
  holds: {
    path: '/holds',
    for: 'admin',
    load: (): Lazy => import('./HoldsScreen'),
    words: ['copies', 'holds'],
    label: 'app.nav.holds',
    icon: Hourglass,
    at: 15,
    place: 'wide',
  },
} as const satisfies Screens
