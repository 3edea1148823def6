import { screen, within } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { renderApp, renderRoutes } from '../testing/render'
import { fakeServer, problem } from '../testing/server'
import { storedRole } from '../lib/storage'
import { ChunkLoadError } from '../lib/chunks'
import { chooseLanguage } from '../lib/messages'
import { problemOf } from '../lib/problem'
import { ErrorScreen } from './ErrorScreen'

function routesThatThrow(error: unknown) {
  return [
    {
      ErrorBoundary: ErrorScreen,
      HydrateFallback: () => null,
      children: [
        {
          path: '/broken',
          loader: () => {
            throw error
          },
          Component: () => null,
        },
      ],
    },
  ]
}

describe('error screen', () => {
  beforeEach(() => {
    // The screen logs the error; the router warns about it as well.
    vi.spyOn(console, 'error').mockReturnValue(undefined)
  })

  it('R-SHELL-2: an unknown route is headed Unexpected Application Error! with 404 Not Found', async () => {
    renderRoutes(routesThatThrow(null), '/nowhere')
    expect(await screen.findByRole('heading', { level: 1 })).toHaveTextContent('Unexpected Application Error!')
    expect(screen.getByRole('alert')).toHaveTextContent('404 Not Found')
    expect(screen.getByRole('link', { name: 'Go to sign in' })).toHaveAttribute('href', '/library/login')
  })

  it('R-SHELL-2: an unknown route says no English word in Hindi', async () => {
    await chooseLanguage('hi')
    renderRoutes(routesThatThrow(null), '/nowhere')
    expect(await screen.findByRole('heading', { level: 1 })).toHaveTextContent('अनपेक्षित त्रुटि!')
    expect(screen.getByRole('alert').textContent).toBe('404')
    expect(screen.getByRole('main')).not.toHaveTextContent(/[A-Za-z]/)
    await chooseLanguage('en')
  })

  it("R-SHELL-2: any other error is shown with the error's text", async () => {
    renderRoutes(routesThatThrow(new Error('the shelf fell over')), '/broken')
    expect(await screen.findByRole('alert')).toHaveTextContent('the shelf fell over')
  })

  it('R-SHELL-3: a chunk that failed is named and Reload is offered', async () => {
    renderRoutes(routesThatThrow(new ChunkLoadError('books', 'missing')), '/broken')
    expect(await screen.findByRole('alert')).toHaveTextContent('Loading chunk books failed. (missing)')
    expect(screen.getByRole('button', { name: 'Reload' })).toBeEnabled()
  })

  it('R-SHELL-3: without a network, a chunk that failed is a matter of the connection', async () => {
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
    renderRoutes(routesThatThrow(new ChunkLoadError('books', 'missing')), '/broken')
    expect(await screen.findByRole('alert')).toHaveTextContent('The library cannot be reached.')
    expect(screen.getByRole('button', { name: 'Try again' })).toBeEnabled()
    vi.restoreAllMocks()
  })

  it('R-FAIL-1: a failure of the server keeps the links of the last person, and names the request', async () => {
    storedRole.set('student')
    fakeServer({ 'GET /auth/session': problem(500, 'internal', { requestId: 'a1b2c3' }) })
    renderApp('/profile')
    expect(await screen.findByRole('alert')).toHaveTextContent('Something went wrong on the server.')
    const bar = within(await screen.findByRole('navigation'))
    expect(bar.getByRole('link', { name: 'Home' })).toHaveAttribute('href', '/library/student-home')
    expect(screen.getByText('If it happens again, report this code: a1b2c3')).toBeVisible()
    expect(screen.getByRole('button', { name: 'Try again' })).toBeEnabled()
  })

  it('R-FAIL-1: a failure of the server is no fault of the page, and can be tried again', async () => {
    renderRoutes(routesThatThrow(problemOf(new Response(null, { status: 502 }), null)), '/broken')
    expect(await screen.findByRole('heading', { level: 1 })).toHaveTextContent('Error')
    expect(screen.getByRole('alert')).toHaveTextContent('Something went wrong on the server.')
    expect(screen.getByRole('button', { name: 'Try again' })).toBeEnabled()
  })
})
