// This icon is in the initial bundle already.
import { History } from 'lucide-react'
import type { Lazy, Screens } from '../../lib/screen'

export const screens = {
  mails: {
    path: '/mails',
    for: 'admin',
    load: (): Lazy => import('./MailsScreen'),
    words: ['people'],
    may: 'people',
    label: 'app.nav.mails',
    icon: History,
    at: 24,
    place: 'more',
  },
} as const satisfies Screens
