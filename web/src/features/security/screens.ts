import { ShieldCheck } from 'lucide-react'
import type { Lazy, Screens } from '../../lib/screen'

export const screens = {
  security: {
    path: '/security',
    for: 'person',
    load: (): Lazy => import('./SecurityScreen'),
    words: ['account', 'security'],
    label: 'security.title',
    icon: ShieldCheck,
    at: 32,
  },
} as const satisfies Screens
