// This icon is in the initial bundle already, so the import adds nothing to it.
import { ScanBarcode } from 'lucide-react'
import type { Lazy, Screens } from '../../lib/screen'

export const screens = {
  labels: {
    path: '/labels',
    for: 'admin',
    load: (): Lazy => import('./LabelsScreen'),
    words: ['labels'],
    may: 'catalogue',
    label: 'app.nav.labels',
    icon: ScanBarcode,
    at: 24,
    place: 'more',
  },
} as const satisfies Screens
