import { UserRound } from 'lucide-react'
import type { Lazy, Screens } from '../../lib/screen'

export const screens = {
  profile: {
    path: '/profile',
    for: 'student',
    load: (): Lazy => import('./ProfileScreen'),
    words: ['holds', 'loans', 'money', 'profile'],
    label: 'app.nav.profile',
    icon: UserRound,
    at: 31,
    place: 'bar',
  },
} as const satisfies Screens
