import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import type { Overview } from '../../api/types'
import { renderApp } from '../../testing/render'
import { book, bookPage, librarian, sessionOf } from '../../testing/samples'
import { fakeServer, problem, type Handlers } from '../../testing/server'

const quiet: Overview = {
  steps: null,
  overdue: 0,
  dueToday: 0,
  toShelve: 0,
  holdsEnding: 0,
  missing: 0,
  missingSince: null,
  lateBackup: null,
  mailTrouble: null,
  today: '2026-11-25',
}

const home = (overview: Overview, more: Handlers = {}) => {
  const made = fakeServer({
    'GET /auth/session': sessionOf(librarian),
    'GET /books': bookPage([book(1)]),
    'GET /overview': { body: overview },
    ...more,
  })
  renderApp('/home')
  return made
}

describe('what waits in the morning', () => {
  it('lists what waits with its count and its list, and nothing else', async () => {
    home({ ...quiet, overdue: 3, missing: 1, missingSince: '2026-11-24' })
    const waiting = within(await screen.findByRole('region', { name: 'To do today' }))
    expect(waiting.getByRole('link', { name: '3 overdue' })).toHaveAttribute('href', '/library/fine?due=overdue')
    expect(waiting.getByRole('link', { name: '1 copy missing since 24 Nov 2026' })).toHaveAttribute(
      'href',
      '/library/to-shelve?state=missing',
    )
    expect(waiting.getAllByRole('listitem')).toHaveLength(2)
  })

  it('leads from a late backup to the backups', async () => {
    home({ ...quiet, lateBackup: { lastOn: '2026-11-20' } })
    expect(await screen.findByRole('link', { name: /^Last backup: 20 Nov 2026/ })).toHaveAttribute(
      'href',
      '/library/settings?tab=backups',
    )
  })

  it('says nothing while nothing waits', async () => {
    home(quiet)
    await screen.findByRole('link', { name: 'Book 1' })
    expect(screen.queryByRole('region', { name: 'To do today' })).not.toBeInTheDocument()
    expect(screen.queryByRole('region', { name: 'First steps' })).not.toBeInTheDocument()
  })
})

describe('first steps', () => {
  const steps: Overview['steps'] = [
    { step: 'name', done: true },
    { step: 'rules', done: false },
    { step: 'books', done: true },
    { step: 'people', done: false },
    { step: 'print', done: false },
    { step: 'lend', done: false },
  ]

  it('ticks what the library has, and leads to the rest', async () => {
    home({ ...quiet, steps })
    const list = within(await screen.findByRole('region', { name: 'First steps' }))
    expect(list.getByText('2 of 6 done')).toBeVisible()
    expect(list.queryByRole('link', { name: 'Name your library' })).not.toBeInTheDocument()
    expect(list.getByRole('link', { name: 'Bring your people' })).toHaveAttribute('href', '/library/import-people')
    expect(list.getByRole('link', { name: 'Print labels and cards' })).toHaveAttribute('href', '/library/labels')
  })

  it('saves the rules once when their calendar is refused and the press is repeated', async () => {
    let refuse = true
    const etag = { ETag: '"0"' }
    const made = home(
      { ...quiet, steps },
      {
        'GET /settings/rules': { body: { categories: [{ name: 'Student', rules: {} }] } as never, headers: etag },
        'GET /settings/calendar': { body: { closedWeekdays: [], closedDates: [] }, headers: etag },
        'PUT /settings/rules': async (request) => ({ body: (await request.json()) as never, headers: { ETag: '"1"' } }),
        'PUT /settings/calendar': async (request) =>
          refuse ? problem(503, 'busy') : { body: (await request.json()) as never, headers: { ETag: '"2"' } },
      },
    )
    await userEvent.click(await screen.findByRole('button', { name: 'Rules and closed days' }))
    const save = await screen.findByRole('button', { name: 'Save rules and closed days' })
    await userEvent.click(save)
    expect(await screen.findByRole('alert')).toBeVisible()
    refuse = false
    await userEvent.click(save)
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
    const sent = (path: string) => made.filter(({ method, url }) => method === 'PUT' && url.endsWith(path))
    expect(sent('/settings/rules')).toHaveLength(1)
    expect(sent('/settings/calendar')).toHaveLength(2)
  })
})
