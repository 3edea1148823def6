import { act, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, it, vi } from 'vitest'
import { queryClient } from '../../api/queryClient'
import type { LibrarySettings } from '../../api/types'
import { renderApp } from '../../testing/render'
import { config, librarian, sessionOf } from '../../testing/samples'
import { fakeServer, problem, wrong } from '../../testing/server'

const library: LibrarySettings = {
  name: 'City College',
  currency: '₹',
  currencyCode: 'INR',
  address: '',
  onReceipts: '',
  upiAddress: '',
  accessionPrefix: 'C-',
  language: 'en',
  financialYearMonth: 4,
  forgetAfterMonths: null,
  suggestions: true,
  batches: ['2026'],
  departments: [],
}
const server = {
  'GET /auth/session': sessionOf(librarian),
  'GET /config': { body: config },
  'GET /settings/library': { body: library, headers: { ETag: '"1"' } },
}
const KEY = `draft ${librarian.uid} settings library`

const nameField = () => screen.findByRole('textbox', { name: 'Name' })

beforeEach(() => sessionStorage.clear())

it('W24: what is typed comes back after a reload, and stays with whoever typed it when the session ends', async () => {
  fakeServer(server)
  const { unmount } = renderApp('/settings?tab=library')
  await userEvent.type(await nameField(), ' Library')
  expect(Object.keys(sessionStorage)).toEqual([KEY])
  act(() => void queryClient.setQueryData(['session'], { user: null }))
  await userEvent.type(await nameField(), '!')
  expect(Object.keys(sessionStorage)).toEqual([KEY])

  unmount()
  renderApp('/settings?tab=library')
  expect(await nameField()).toHaveValue('City College Library!')
  await userEvent.click(screen.getByRole('button', { name: 'Discard changes' }))
  expect(await nameField()).toHaveValue('City College')
  await waitFor(() => expect(Object.keys(sessionStorage)).toEqual([]))
})

it('W24: a draft that another version of the page left in another shape is not read', async () => {
  fakeServer(server)
  const { name, ...rest } = { ...library, batches: '2026', departments: '' }
  sessionStorage.setItem(KEY, JSON.stringify({ values: rest, base: { name, ...rest }, version: '"1"' }))
  renderApp('/settings?tab=library')
  expect(await nameField()).toHaveValue('City College')
})

it('W24: what is refused stands at its field, and the cursor with it', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const errors = [wrong('batches[1]', 'notTwice', {}, '“2026” is already in the list.')]
  fakeServer({ ...server, 'PUT /settings/library': problem(422, 'invalid', { errors }) })
  renderApp('/settings?tab=library')
  const batches = await screen.findByRole('textbox', { name: 'Batches' })
  await userEvent.type(batches, '{Enter}2026')
  await userEvent.click(screen.getByRole('button', { name: 'Save' }))
  expect(await screen.findByText('“2026” is already in the list.')).toBeVisible()
  await waitFor(() => expect(batches).toHaveFocus())
  expect(batches).toHaveValue('2026\n2026')
})

it('V11: what is typed while a save is on its way stays, and can be saved', async () => {
  let answer = (): void => undefined
  const answered = new Promise<void>((resolve) => {
    answer = resolve
  })
  fakeServer({
    ...server,
    'PUT /settings/library': async (request) => {
      const body = (await request.json()) as LibrarySettings
      await answered
      return { body, headers: { ETag: '"2"' } }
    },
    'POST /settings/library/preview': {
      body: { before: 0, after: 0, dueDatesMoved: 0, finesChanged: 0, forgets: null, loans: [], summary: [] },
    },
  })
  renderApp('/settings?tab=library')
  await userEvent.type(await nameField(), ' Library')
  await userEvent.click(screen.getByRole('button', { name: 'Save' }))
  await userEvent.type(await nameField(), ', Pune')
  answer()
  expect(await screen.findByText('Settings saved.')).toBeVisible()
  expect(await nameField()).toHaveValue('City College Library, Pune')
  expect(screen.getByRole('button', { name: 'Save' })).toBeEnabled()
})

it('V20: a lone minus is not kept in a number: what is sent is what the field shows', async () => {
  let sent: unknown
  fakeServer({
    ...server,
    'GET /settings/library': { body: { ...library, forgetAfterMonths: 6 }, headers: { ETag: '"1"' } },
    'POST /settings/library/preview': async (request) => {
      sent = ((await request.json()) as LibrarySettings).forgetAfterMonths
      return {
        body: { before: 0, after: 0, dueDatesMoved: 0, finesChanged: 0, forgets: null, loans: [], summary: [] },
      }
    },
    'PUT /settings/library': { body: library, headers: { ETag: '"2"' } },
  })
  renderApp('/settings?tab=library')
  const months = await screen.findByDisplayValue('6')
  await userEvent.clear(months)
  await userEvent.type(months, '-')
  await userEvent.click(screen.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(sent).toBe(null))
  expect(months).toHaveValue('')
})
