import { screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { storedRole } from '../../lib/storage'
import { renderApp } from '../../testing/render'
import { notice, sessionOf, student } from '../../testing/samples'
import { fakeServer } from '../../testing/server'

describe('notices', () => {
  it('are marked as read once they are shown, and the bell then shows none (U14)', async () => {
    storedRole.set('student')
    const made = fakeServer({
      'GET /auth/session': { body: { ...sessionOf(student).body, unreadNotices: 1 } },
      'GET /me/notices': {
        body: { notices: [notice(2), notice(1, { readAt: '2026-11-27T01:00:00Z' })], unread: 1, next: null },
      },
      'POST /me/notices/read': { body: { unread: 0 } },
    })
    renderApp('/notices')
    const [unread, read] = await screen.findAllByRole('listitem')
    expect(unread).toHaveTextContent('Unread: “Book 2” is due back today, 28 Nov 2026.')
    expect(read).not.toHaveTextContent('Unread')
    expect(within(unread!).getByRole('link')).toHaveAttribute('href', '/library/profile')
    expect(await screen.findByRole('link', { name: 'Notices' })).toBeVisible()
    const posts = made.filter(({ method }) => method === 'POST')
    expect(posts).toHaveLength(1)
    expect(await posts[0]!.json()).toEqual({ upTo: 2 })
    expect(unread, 'the mark stays').toHaveTextContent('Unread')
  })

  it('say that there are none', async () => {
    storedRole.set('student')
    const made = fakeServer({
      'GET /auth/session': sessionOf(student),
      'GET /me/notices': { body: { notices: [], unread: 0, next: null } },
    })
    renderApp('/notices')
    expect(await screen.findByText('No notices yet.')).toBeVisible()
    await waitFor(() => expect(made.filter(({ method }) => method === 'POST')).toEqual([]))
  })
})
