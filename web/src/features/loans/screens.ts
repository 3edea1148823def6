import { BookOpenCheck } from 'lucide-react'
import type { Lazy, Screens } from '../../lib/screen'

export const screens = {
  fine: {
    path: '/fine',
    for: 'admin',
    load: (): Lazy => import('./LoansScreen'),
    words: ['copies', 'loans', 'money'],
    label: 'app.nav.loans',
    icon: BookOpenCheck,
    at: 13,
    place: 'bar',
    list: true,
  },
} as const satisfies Screens
