import { Coins } from 'lucide-react'
import type { Lazy, Screens } from '../../lib/screen'

export const screens = {
  money: {
    path: '/money',
    for: 'admin',
    load: (): Lazy => import('./MoneyScreen'),
    words: ['money', 'desk'],
    may: 'money',
    label: 'app.nav.money',
    icon: Coins,
    at: 22,
    place: 'more',
  },
  receipt: {
    path: '/receipt/:id',
    for: 'admin',
    load: (): Lazy => import('./ReceiptScreen'),
    words: ['money'],
  },
  closings: {
    path: '/closings',
    for: 'admin',
    load: (): Lazy => import('./ClosingsScreen'),
    words: ['desk', 'money'],
    may: 'desk',
  },
  closing: {
    path: '/closings/:id',
    for: 'admin',
    load: (): Lazy => import('./ClosingsScreen'),
    words: ['desk', 'money'],
    may: 'desk',
  },
} as const satisfies Screens
