import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import type { MailItem, MailList } from '../../api/types'
import { renderApp } from '../../testing/render'
import { librarian, sessionOf } from '../../testing/samples'
import { fakeServer, type Handlers } from '../../testing/server'

const mail = (id: number, more: Partial<MailItem> = {}): MailItem => ({
  id,
  person: 7,
  name: 'Asha',
  channel: 'mail',
  kind: 'test',
  address: 'asha@college.edu',
  subject: `Mail ${id}`,
  state: 'queued',
  createdAt: '2026-11-25T06:00:00Z',
  nextTry: '2026-11-25T06:01:00Z',
  endedAt: null,
  tries: 0,
  reason: null,
  stoppedBy: null,
  canSendAgain: false,
  ...more,
})

const full: Partial<MailItem> = {
  state: 'failed',
  nextTry: null,
  endedAt: '2026-11-25T06:02:00Z',
  canSendAgain: true,
  reason: { code: 'mail.mailboxFull', params: { words: '5.2.2 Over quota' }, text: '' },
}

const list = (mails: MailItem[], more: Partial<MailList> = {}): MailList => ({
  on: true,
  textsOn: false,
  mails,
  counts: { queued: 1, sent: 0, failed: 1, stopped: 0 },
  trouble: null,
  textTrouble: null,
  quiet: null,
  failedDays: [],
  next: null,
  ...more,
})

const outage = { since: '2026-11-25T06:00:00Z', nextTry: '2026-11-25T07:00:00Z' }

const open = (answer: MailList, more: Handlers = {}) => {
  const made = fakeServer({ 'GET /auth/session': sessionOf(librarian), 'GET /mails': { body: answer }, ...more })
  renderApp('/mails')
  return made
}

describe('mails', () => {
  it('says why a mail failed and sends it again once, and stops one that waits', async () => {
    const made = open(list([mail(2, full), mail(1)]), {
      'POST /mails/2/again': { status: 204 },
      'POST /mails/1/stop': { status: 204 },
    })
    const row = within(await screen.findByRole('row', { name: /Mail 2/ }))
    expect(row.getByText('The mailbox is full: 5.2.2 Over quota')).toBeVisible()
    await userEvent.click(screen.getByRole('button', { name: 'Send again: “Mail 2” to asha@college.edu' }))
    await userEvent.click(screen.getByRole('button', { name: 'Stop “Mail 1” to asha@college.edu' }))
    await waitFor(() => expect(made.filter(({ method }) => method === 'POST')).toHaveLength(2))
    // The focus stays in the row, so that Tab goes on from there.
    await waitFor(() => expect(screen.getByRole('button', { name: 'Stop “Mail 1” to asha@college.edu' })).toHaveFocus())
  })

  it('keeps the focus in the list when the press takes the last button away', async () => {
    let state: Partial<MailItem> = {}
    open(list([]), {
      'GET /mails': () => ({ body: list([mail(1, state)]) }),
      'POST /mails/1/stop': () => {
        state = { state: 'stopped', stoppedBy: 'Chitra', endedAt: '2026-11-25T06:02:00Z' }
        return { status: 204 }
      },
    })
    await userEvent.click(await screen.findByRole('button', { name: 'Stop “Mail 1” to asha@college.edu' }))
    expect(await screen.findByText('By Chitra.')).toBeVisible()
    await waitFor(() => expect(document.activeElement).toContainElement(screen.getByRole('table')))
  })

  it('sends all mails again that failed on a day', async () => {
    const made = open(list([mail(1, full)], { failedDays: [{ day: '2026-11-25', count: 12 }] }), {
      'POST /mails/again': { body: { count: 12 } },
    })
    expect(await screen.findByText('25 Nov 2026: 12 failed mails can be sent again')).toBeVisible()
    await userEvent.click(screen.getByRole('button', { name: 'Send all again that failed on 25 Nov 2026' }))
    expect(await screen.findByText('12 mails wait to be sent again.')).toBeVisible()
    const sent = made.find(({ url }) => url.endsWith('/mails/again'))
    expect(await sent?.json()).toEqual({ day: '2026-11-25' })
  })

  it('says what waits for the end of the quiet hours', async () => {
    open(list([], { quiet: { until: 7, waiting: 2 } }))
    expect(await screen.findByText('Quiet hours: 2 notices wait until 07:00.')).toBeVisible()
  })

  it('says since when no mail is sent, and why', async () => {
    const reason = { code: 'mail.signInRefused', params: { server: 'mail.school.in' }, text: '' }
    open(list([], { trouble: { ...outage, channel: 'mail', reason } }))
    expect(await screen.findByRole('alert')).toHaveTextContent(/mail.school.in refused the user name or the password/)
  })

  it('names a text message and its phone, and says why none is sent', async () => {
    const text = mail(3, { channel: 'text', address: '+91 98450 12345', subject: 'Asha: 1 book is overdue' })
    const reason = { code: 'mail.text.unreachable', params: { gateway: 'sms.example' }, text: '' }
    const textTrouble = { ...outage, channel: 'text' as const, reason }
    open(list([text, mail(2)], { on: false, textsOn: true, textTrouble }))
    const row = within(await screen.findByRole('row', { name: /1 book is overdue/ }))
    expect(row.getByText('Text message')).toBeVisible()
    expect(row.getByText('+91 98450 12345')).toBeVisible()
    expect(screen.getAllByText('Text message')).toHaveLength(1)
    const alerts = screen.getAllByRole('alert').map(({ textContent }) => textContent)
    expect(
      alerts.some((said) => /No text message has been sent since.*sms\.example cannot be reached/.test(said)),
    ).toBe(true)
    expect(screen.getByRole('button', { name: 'Show tomorrow’s reminders' })).toBeVisible()
  })

  it('shows what would go tomorrow only when asked, also while automatic mails are off', async () => {
    const plan = {
      day: '2026-11-26',
      hour: 8,
      byMail: false,
      count: 12,
      withoutAddress: 1,
      unreachable: [{ person: 8, name: 'Bala' }],
      first: [
        {
          person: 7,
          name: 'Asha',
          toGuardian: false,
          channel: 'mail' as const,
          address: 'asha@college.edu',
          lines: [],
        },
        { person: 7, name: 'Asha', toGuardian: true, channel: 'text' as const, address: '+91 98450', lines: [] },
      ],
    }
    const made = open(list([]), { 'GET /mails/tomorrow': { body: plan } })
    const show = await screen.findByRole('button', { name: 'Show tomorrow’s reminders' })
    expect(made.some(({ url }) => url.includes('tomorrow'))).toBe(false)
    await userEvent.click(show)
    expect(
      await screen.findByText(
        /12 reminders would be sent. 1 more cannot be sent, because no confirmed address or phone is known./,
      ),
    ).toBeVisible()
    expect(screen.getByText('Automatic mails are off. If they were on, these would be sent.')).toBeVisible()
    expect(screen.getByRole('link', { name: 'Bala' })).toHaveAttribute('href', '/library/people/8')
    expect(screen.getByText('And 10 more.')).toBeVisible()
    const [own, guardians] = screen.getAllByRole('listitem').filter((item) => item.textContent.includes('Asha'))
    expect(within(own!).getByRole('link', { name: 'Asha' })).toHaveAttribute('href', '/library/people/7')
    expect(own).not.toHaveTextContent('To the guardian')
    expect(guardians).toHaveTextContent('Asha +91 98450 To the guardian · Text message')
  })

  it('says where mail is off', async () => {
    open(list([], { on: false }))
    expect(await screen.findByText('Mail is off, because no mail server is set up.')).toBeVisible()
  })
})
