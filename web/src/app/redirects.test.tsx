import { waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { User } from '../api/types'
import type { Screen } from '../lib/screen'
import { screens } from '../screens'
import { storedRole } from '../lib/storage'
import { renderApp } from '../testing/render'
import { bookPage, librarian, sessionOf, student } from '../testing/samples'
import { fakeServer } from '../testing/server'

const all: Screen[] = Object.values(screens)
const addresses = (...audiences: Screen['for'][]) =>
  all.filter((screen) => audiences.includes(screen.for)).map(({ path }) => path.replace(':id', '1'))

/** Opens a screen, and waits for the screen to which the person is redirected. */
async function expectLed(user: User | null, from: string, to: string) {
  storedRole.clear()
  if (user?.role) storedRole.set(user.role)
  fakeServer({ 'GET /auth/session': sessionOf(user), 'GET /books': bookPage([]) })
  const { router, unmount } = renderApp(from)
  await waitFor(() => {
    expect(router.state.location.pathname).toBe(`/library${to}`)
    expect(router.state.navigation.state).toBe('idle')
  })
  unmount()
  return new URLSearchParams(router.state.location.search).get('next')
}

describe('R-ROLE-2: who is led away from a screen that is not theirs', () => {
  it.each(addresses('admin', 'student', 'person'))('a visitor comes from %s to /login, and back', async (address) => {
    const next = await expectLed(null, address, '/login')
    // R-STU-2: without a stored role the student home redirects to /login before any request.
    expect(next).toBe(address === '/student-home' ? null : address)
  })

  it.each(addresses('admin'))('a student comes from %s to /student-home', async (address) => {
    await expectLed(student, address, '/student-home')
  })

  // R-STU-2: the student home redirects to /login unless the stored role is student.
  it.each(addresses('student').map((address) => [address, address === '/student-home' ? '/login' : '/home']))(
    'a librarian comes from %s to %s',
    async (address, to) => {
      await expectLed(librarian, address, to)
    },
  )

  it.each(addresses('visitor', 'everybody'))('R-DETAIL-4: a visitor may open %s', async (address) => {
    await expectLed(null, address, address)
  })
})
