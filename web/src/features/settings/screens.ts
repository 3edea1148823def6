import { Settings } from 'lucide-react'
import type { Lazy, Screens } from '../../lib/screen'

export const screens = {
  settings: {
    path: '/settings',
    for: 'admin',
    load: (): Lazy => import('./SettingsScreen'),
    words: ['settings'],
    may: 'settings',
    label: 'app.nav.settings',
    icon: Settings,
    at: 25,
    place: 'more',
  },
} as const satisfies Screens
