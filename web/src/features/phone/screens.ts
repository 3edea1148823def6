import type { Lazy, Screens } from '../../lib/screen'

export const screens = {
  phone: {
    path: '/phone',
    for: 'visitor',
    load: (): Lazy => import('./PhoneScreen'),
    words: ['common', 'frame', 'phone', 'scanner'],
  },
} as const satisfies Screens
