import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, it } from 'vitest'
import { renderApp } from '../../testing/render'
import { config, librarian, sessionOf } from '../../testing/samples'
import { fakeServer } from '../../testing/server'

const wording = (subject: string) => ({ subject, body: 'Hello {name}\n\n{books}' })
const message = (text: string) => ({ code: 'settings.wording.name', params: {}, text })
const server = {
  'GET /auth/session': sessionOf(librarian),
  'GET /config': { body: config },
  'GET /settings/mails': {
    body: {
      on: false,
      mails: [
        {
          kind: 'digest',
          placeholders: [{ placeholder: '{name}', about: message('Name of the reader'), block: false }],
          ours: { en: wording('{reminder}'), hi: wording('{reminder}') },
          own: { en: null, hi: null },
        },
      ],
    },
  },
  'GET /settings/mails/digest': { body: { en: wording('My books'), hi: null }, headers: { ETag: '"1"' } },
  'POST /settings/mails/digest/preview': {
    body: {
      subject: '2 books',
      text: 'Hello Rekha',
      html: '<style>.a{}</style><body class="page"><p style="color: red">Hello in HTML</p></body>',
      madeUp: true,
    },
  },
}

beforeEach(() => sessionStorage.clear())

it('shows the own wording, its preview, and the program’s wording after a reset', async () => {
  fakeServer(server)
  renderApp('/settings?tab=wording')
  const english = await screen.findByRole('group', { name: 'English' })
  const subject = within(english).getByRole('textbox', { name: 'Subject' })
  expect(subject).toHaveValue('My books')
  expect(await within(english).findByText('Hello Rekha')).toBeInTheDocument()
  const shadow = [...english.querySelectorAll('*')].find((element) => element.shadowRoot)?.shadowRoot
  const mail = shadow?.querySelector('p')
  expect(mail).toHaveTextContent('Hello in HTML')
  expect(mail?.style.color).toBe('red')
  expect(within(english).queryByRole('button', { name: 'Send me one' })).toBeNull()
  await userEvent.click(within(english).getByRole('button', { name: 'Use the program’s wording' }))
  expect(subject).toHaveValue('{reminder}')
})

it('inserts a placeholder at the cursor', async () => {
  fakeServer(server)
  renderApp('/settings?tab=wording')
  const english = await screen.findByRole('group', { name: 'English' })
  const text = within(english).getByRole<HTMLTextAreaElement>('textbox', { name: 'Text' })
  await userEvent.click(text)
  text.setSelectionRange(6, 6)
  await userEvent.click(within(english).getByRole('button', { name: /^Insert \{name\}/ }))
  expect(text).toHaveValue('Hello {name}{name}\n\n{books}')
})

it('inserts a placeholder at the end of a text that never had the cursor', async () => {
  fakeServer(server)
  renderApp('/settings?tab=wording')
  const english = await screen.findByRole('group', { name: 'English' })
  const text = within(english).getByRole<HTMLTextAreaElement>('textbox', { name: 'Text' })
  await userEvent.click(within(english).getByRole('button', { name: /^Insert \{name\}/ }))
  expect(text).toHaveValue('Hello {name}\n\n{books}{name}')
})

it('says what is wrong with a text, and offers another try where only the request failed', async () => {
  const fault = {
    field: 'body',
    rule: 'settings.wording.missing',
    params: {},
    message: 'The text must contain {books}.',
  }
  const invalid = { code: 'invalid', detail: 'invalid', params: { count: 1 }, errors: [fault] }
  const answers = [
    { status: 422, body: { type: 'about:blank', title: '', status: 422, ...invalid } },
    {
      status: 500,
      body: { type: 'about:blank', title: '', status: 500, code: 'internal', detail: 'Failed.', params: {} },
    },
  ]
  const failing = {
    ...server,
    'POST /settings/mails/digest/preview': async (request: Request) =>
      answers[((await request.json()) as { language: string }).language === 'en' ? 0 : 1],
  }
  fakeServer(failing)
  renderApp('/settings?tab=wording')
  const english = await screen.findByRole('region', { name: 'Preview (English)' })
  expect(await within(english).findByText(/must contain \{books\}/)).toBeVisible()
  expect(within(english).queryByRole('button')).toBeNull()
  const hindi = screen.getByRole('region', { name: 'Preview (हिन्दी)' })
  expect(await within(hindi).findByRole('button', { name: 'Try again' }, { timeout: 5000 })).toBeVisible()
})

it('drops the error of a field as soon as it is corrected, and keeps that of another', async () => {
  const faults = ['en.subject', 'en.body'].map((field) => ({
    field,
    rule: 'settings.wording.missing',
    params: {},
    message: `${field} is required.`,
  }))
  const invalid = { code: 'invalid', detail: 'invalid', params: { count: 2 }, errors: faults }
  const refusal = { status: 422, body: { type: 'about:blank', title: '', status: 422, ...invalid } }
  const refusing = { ...server, 'PUT /settings/mails/digest': refusal }
  fakeServer(refusing)
  renderApp('/settings?tab=wording')
  const english = await screen.findByRole('group', { name: 'English' })
  const subject = within(english).getByRole('textbox', { name: 'Subject' })
  await userEvent.clear(subject)
  await userEvent.click(screen.getByRole('button', { name: 'Save' }))
  expect(await within(english).findByText('en.subject is required.')).toBeVisible()
  await userEvent.type(subject, 'Books')
  expect(within(english).queryByText('en.subject is required.')).not.toBeInTheDocument()
  expect(within(english).getByText('en.body is required.')).toBeVisible()
})
