import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { renderApp } from '../../testing/render'
import { bookDetail, bookPage, librarian, sessionOf } from '../../testing/samples'
import { fakeServer, problem, wrong } from '../../testing/server'

function server(answer?: ReturnType<typeof problem>) {
  return fakeServer({
    'GET /auth/session': sessionOf(librarian),
    'GET /books': bookPage([]),
    'GET /books/7': { body: bookDetail(7), headers: { ETag: '"1"' } },
    'GET /books/7/copies': { body: { copies: [], counts: [], next: null } },
    'POST /books/7/copies': answer ?? { status: 201, body: { copies: [] } },
  })
}

async function open() {
  renderApp('/book-detail/7')
  await userEvent.click(await screen.findByRole('button', { name: 'Add copies' }))
  const dialog = within(await screen.findByRole('dialog'))
  return {
    box: dialog.getByRole('textbox', { name: 'Barcodes' }),
    count: dialog.getByRole('textbox', { name: 'Copies without a barcode' }),
    add: dialog.getByRole('button', { name: 'Add' }),
  }
}

it('W24: nothing to add is said at its field, which has the cursor', async () => {
  const requests = server()
  const { count, add } = await open()
  await userEvent.click(add)
  expect(await screen.findByText('Scan a barcode or enter how many copies to add.')).toBeVisible()
  await waitFor(() => expect(count).toHaveFocus())
  expect(requests.some(({ method }) => method === 'POST')).toBe(false)
})

it('W24: of what is refused the first field has the cursor, and everything typed is still there', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  server(problem(422, 'invalid', { errors: [wrong('count', 'outOfRange', { label: 'Copies', min: 1, max: 1000 })] }))
  const { box, count, add } = await open()
  await userEvent.type(box, 'C-1')
  await userEvent.type(count, '1000')
  await userEvent.click(add)
  expect(await screen.findByText('Copies must be a whole number from 1 to 1000.')).toBeVisible()
  await waitFor(() => expect(count).toHaveFocus())
  expect(screen.getByText('C-1')).toBeVisible()
  expect(count).toHaveValue('1000')
})

it('R-COPY-3: what stands in the box counts, also without the Enter of a scanner', async () => {
  const requests = server()
  const { box, add } = await open()
  await userEvent.type(box, 'C-1{Enter}C-2')
  await userEvent.click(add)
  expect(await screen.findByText('2 copies added.')).toBeVisible()
  const sent = requests.find(({ method }) => method === 'POST')
  expect(await sent?.json()).toEqual({ barcodes: ['C-1', 'C-2'], count: 2 })
})
