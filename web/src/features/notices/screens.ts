import type { Lazy, Screens } from '../../lib/screen'

export const screens = {
  notices: {
    path: '/notices',
    for: 'person',
    load: (): Lazy => import('./NoticesScreen'),
    label: 'app.nav.notices',
    at: 31,
  },
} as const satisfies Screens
