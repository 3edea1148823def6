import { ScanBarcode } from 'lucide-react'
import type { Lazy, Screens } from '../../lib/screen'

export const screens = {
  desk: {
    path: '/desk',
    for: 'admin',
    load: (): Lazy => import('./DeskScreen'),
    words: ['copies', 'desk', 'holds', 'loans', 'money', 'scanner'],
    may: 'desk',
    label: 'app.nav.desk',
    icon: ScanBarcode,
    at: 10,
    place: 'bar',
  },
  deskToday: {
    path: '/desk/today',
    for: 'admin',
    load: (): Lazy => import('./TodayScreen'),
    words: ['activity', 'books', 'copies', 'desk', 'money', 'people', 'settings'],
    may: 'desk',
    label: 'desk.today.title',
    icon: ScanBarcode,
    at: 11,
  },
} as const satisfies Screens
