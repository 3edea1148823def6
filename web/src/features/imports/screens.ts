import type { Lazy, Screens } from '../../lib/screen'

export const screens = {
  importBooks: {
    path: '/import-books',
    for: 'admin',
    load: (): Lazy => import('./ImportBooksScreen'),
    words: ['copies', 'people'],
    may: 'catalogue',
  },
} as const satisfies Screens
