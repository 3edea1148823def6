import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import type { BackupList } from '../../api/types'
import { renderApp } from '../../testing/render'
import { config, librarian, sessionOf } from '../../testing/samples'
import { fakeServer, type Handlers } from '../../testing/server'

const kept: BackupList = {
  plan: { folder: '/srv/backups', at: '02:30:00', days: 7, weeks: 4, months: 12 },
  postgres: false,
  running: false,
  failure: null,
  mayDownload: true,
  backups: [
    {
      name: 'library-2026-11-25.db',
      occasion: 'daily',
      state: 'verified',
      madeAt: '2026-11-24T21:00:02Z',
      bytes: 4_200_000,
      books: 132,
      copies: 300,
      people: 301,
      loans: 5000,
    },
    {
      name: 'library-2026-11-24-101500.db',
      occasion: 'by-hand',
      state: 'damaged',
      madeAt: '2026-11-24T04:45:00Z',
      bytes: 10,
      books: null,
      copies: null,
      people: null,
      loans: null,
    },
  ],
}

function open(list: BackupList, more: Handlers = {}) {
  const made = fakeServer({
    'GET /auth/session': sessionOf(librarian),
    'GET /config': { body: config },
    'GET /backups': { body: list },
    ...more,
  })
  renderApp('/settings?tab=backups')
  return made
}

it('lists each backup with its state and its contents, and offers the file (L3)', async () => {
  open(kept)
  const rows = within(await screen.findByRole('table', { name: 'Backups that are kept' })).getAllByRole('row')
  expect(rows[1]).toHaveTextContent('DailyVerified4.2 MB132 titles, 300 copies, 301 people')
  expect(rows[2]).toHaveTextContent('By handDamaged: do not use')
  expect(screen.getByText('Last verified backup: 25 Nov 2026, 2:30 am.')).toBeVisible()
  expect(screen.getByRole('link', { name: 'Download the backup of 25 Nov 2026, 2:30 am' })).toHaveAttribute(
    'href',
    '/library/api/v1/backups/library-2026-11-25.db',
  )
  expect(screen.getByText('cd /var/lib/library && library restore /srv/backups/library-2026-11-25.db')).toBeVisible()
})

it('makes one backup however often it is pressed, and says when it is made (L3)', async () => {
  let running = false
  const requests = open(kept, {
    'GET /backups': () => ({ body: { ...kept, running } }),
    'POST /backups': () => {
      running = true
      return { status: 204 }
    },
  })
  await userEvent.dblClick(await screen.findByRole('button', { name: 'Make one now' }))
  expect(await screen.findByText('The backup is being made and verified…')).toBeVisible()
  expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
  running = false
  await waitFor(() => expect(screen.getByText('The backup was made and verified.')).toBeVisible(), { timeout: 4000 })
})

it('offers no file to a librarian without every right, and names the failure (L3)', async () => {
  open({ ...kept, mayDownload: false, failure: 'the disk is full' })
  expect(await screen.findByRole('alert')).toHaveTextContent('the disk is full')
  expect(screen.queryByRole('link', { name: /^Download/ })).not.toBeInTheDocument()
  expect(screen.getByText(/^Only a librarian with all rights/)).toBeVisible()
})

it('says what to set where no folder is named, and that pg_dump copies PostgreSQL (L3)', async () => {
  const none: BackupList = { ...kept, plan: null, backups: [] }
  open(none)
  expect(await screen.findByRole('heading', { name: 'This server makes no backups' })).toBeVisible()
  expect(screen.getByText('LIBRARY_BACKUP_FOLDER=/var/lib/library/backups')).toBeVisible()
  open({ ...none, postgres: true })
  expect(await screen.findByRole('heading', { name: 'PostgreSQL is backed up on its own server' })).toBeVisible()
})
