import { LogIn, UserPlus } from 'lucide-react'
import type { Lazy, Screens } from '../../lib/screen'

const signIn = (): Lazy => import('./SignInScreen')
const forgotten = (): Lazy => import('./ForgottenScreen')

export const screens = {
  base: { path: '/', for: 'visitor', load: signIn },
  login: { path: '/login', for: 'visitor', load: signIn, label: 'app.nav.signIn', icon: LogIn, at: 1 },
  library: { path: '/library', for: 'visitor', load: signIn },
  register: {
    path: '/register',
    for: 'visitor',
    load: (): Lazy => import('./RegisterScreen'),
    words: ['account', 'common'],
    label: 'app.nav.register',
    icon: UserPlus,
    at: 2,
  },
  setup: { path: '/setup', for: 'visitor', load: (): Lazy => import('./SetupScreen'), words: ['account', 'common'] },
  forgot: { path: '/forgot', for: 'visitor', load: forgotten, words: ['account', 'common'] },
  reset: { path: '/reset', for: 'visitor', load: forgotten, words: ['account', 'common'] },
  redeem: { path: '/redeem', for: 'visitor', load: (): Lazy => import('./RedeemScreen'), words: ['account', 'common'] },
} as const satisfies Screens
