import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { queryClient } from '../api/queryClient'
import type { User } from '../api/types'
import { renderApp } from '../testing/render'
import { bookPage, config, librarian, sessionOf, student } from '../testing/samples'
import { fakeServer, problem } from '../testing/server'
import { storedRole } from '../lib/storage'

const session = (user: User | null) => ({ 'GET /auth/session': sessionOf(user) })
const catalogue = { 'GET /books': bookPage([]) }

async function at(pathname: string, view: ReturnType<typeof renderApp>) {
  await waitFor(() => {
    expect(view.router.state.location.pathname).toBe(`/library${pathname}`)
    expect(view.router.state.navigation.state).toBe('idle')
  })
}

describe('who may see which screen', () => {
  it('R-ROLE-2: a visitor on an admin screen goes to /login and comes back afterwards', async () => {
    fakeServer(session(null))
    const view = renderApp('/home?q=ada')
    await at('/login', view)
    expect(new URLSearchParams(view.router.state.location.search).get('next')).toBe('/home?q=ada')
  })

  it('R-ROLE-2: a student on an admin screen goes to /student-home', async () => {
    storedRole.set('student')
    fakeServer({ ...session(student), ...catalogue })
    await at('/student-home', renderApp('/home'))
  })

  it('R-STU-2: the student home redirects to /login if the stored role is not student', async () => {
    fakeServer({ ...session(student), ...catalogue })
    await at('/login', renderApp('/student-home'))
    storedRole.set('admin')
    await at('/login', renderApp('/student-home'))
  })

  it('R-STU-2: with the stored role student the student home opens', async () => {
    storedRole.set('student')
    fakeServer({ ...session(student), ...catalogue })
    const view = renderApp('/student-home')
    await at('/student-home', view)
    expect(await screen.findByRole('heading', { level: 1 })).toBeVisible()
  })
})

describe('navigation bar', () => {
  it('R-HOME-1: brand to /fine, Home, Update to /books, Delete to /delete, Logout', async () => {
    fakeServer({ ...session(librarian), ...catalogue })
    renderApp('/home')
    const link = async (name: string) => (await screen.findByRole('link', { name })).getAttribute('href')
    expect(await link('My Library')).toBe('/library/fine')
    expect(await link('Home')).toBe('/library/home')
    expect(await link('Update')).toBe('/library/books')
    expect(await link('Delete')).toBe('/library/delete')
    expect(screen.getByRole('button', { name: 'Logout' })).toBeEnabled()
  })

  it('R-STU-1: a student finds the profile and Logout', async () => {
    storedRole.set('student')
    fakeServer({ ...session(student), ...catalogue })
    renderApp('/student-home')
    expect(await screen.findByRole('link', { name: 'Profile' })).toHaveAttribute('href', '/library/profile')
    expect(screen.getByRole('button', { name: 'Logout' })).toBeEnabled()
  })

  it('R-LOGIN-7: Logout ends the session on the server, clears userRole and goes to /login', async () => {
    storedRole.set('admin')
    const made = fakeServer({ ...session(librarian), ...catalogue, 'POST /auth/sign-out': { status: 204 } })
    const view = renderApp('/home')
    await userEvent.click(await screen.findByRole('button', { name: 'Logout' }))
    await at('/login', view)
    expect(made.some((request) => request.method === 'POST' && request.url.endsWith('/auth/sign-out'))).toBe(true)
    await waitFor(() => expect(localStorage.getItem('userRole')).toBeNull())
  })

  it('R-FAIL-1: a logout that failed is logged and said, and the person is still here', async () => {
    const logged = vi.spyOn(console, 'error').mockReturnValue(undefined)
    fakeServer({
      ...session(librarian),
      ...catalogue,
      'POST /auth/sign-out': problem(500, 'internal'),
    })
    const view = renderApp('/home')
    await userEvent.click(await screen.findByRole('button', { name: 'Logout' }))
    expect(await screen.findByText(/^It is not known whether this was done/)).toBeVisible()
    expect(logged).toHaveBeenCalled()
    expect(view.router.state.location.pathname).toBe('/library/home')
  })
})

describe('after a navigation', () => {
  beforeEach(() => storedRole.clear())

  it('the heading has the focus and names the tab', async () => {
    fakeServer(session(null))
    renderApp('/login')
    await userEvent.click(await screen.findByRole('link', { name: 'Register' }))
    const heading = await screen.findByRole('heading', { level: 1, name: 'Create Account' })
    await waitFor(() => expect(heading).toHaveFocus())
    expect(document.title).toBe('Create Account · My Library')
  })

  it('R-RULE-8: the tab says what the library is called, once that is known', async () => {
    let name = 'City College'
    fakeServer({ ...session(null), 'GET /config': () => ({ body: { ...config, name } }) })
    renderApp('/register')
    await screen.findByRole('heading', { level: 1, name: 'Create Account' })
    await waitFor(() => expect(document.title).toBe('Create Account · City College'))
    name = ''
    await queryClient.invalidateQueries({ queryKey: ['config'] })
    expect(document.title).toBe('Create Account · My Library')
  })
})
