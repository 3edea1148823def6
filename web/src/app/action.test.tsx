import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import Notices from './Notices'
import { clearNotices, notify } from '../lib/notify'
import { renderRoutes } from '../testing/render'
import { loan } from '../testing/samples'
import { fakeServer, problem } from '../testing/server'
import { action, useAction } from '../api/action'
import { changePerson } from '../api/account'
import { client, dataOf } from '../api/client'
import { queryClient } from '../api/queryClient'

const borrow = action({
  name: 'borrow',
  send: (id: number, call) => dataOf(client.POST('/books/{id}/loans', { params: { path: { id } }, ...call })),
  fault: 'The book could not be borrowed',
})

function Screen() {
  const { run } = useAction(borrow, {
    done: (_loan, id) => `Book ${id} is yours.`,
    failed: (reason) => `No. ${reason}`,
  })
  return (
    <>
      {[1, 2].map((id) => (
        <button key={id} type="button" onClick={() => void run(id)}>
          {`Borrow ${id}`}
        </button>
      ))}
      <Notices />
    </>
  )
}

const show = () => renderRoutes([{ path: '/', Component: Screen, HydrateFallback: () => null }], '/')
const press = async (name: string) => userEvent.click(await screen.findByRole('button', { name }))
const keysOf = (made: readonly Request[]) => made.map((request) => request.headers.get('Idempotency-Key'))
const lent = { status: 201, body: loan(1) } as const
const lost = () => {
  throw new TypeError('Failed to fetch')
}

let logged = vi.spyOn(console, 'error')
beforeEach(() => {
  logged = vi.spyOn(console, 'error').mockReturnValue(undefined)
})

describe('a write', () => {
  it('U20: an answer that comes after another person has signed in is told to nobody', async () => {
    let answer = () => {}
    fakeServer({
      'POST /books/1/loans': async () => {
        await new Promise<void>((resolve) => (answer = resolve))
        return lent
      },
    })
    show()
    await press('Borrow 1')
    await waitFor(() => expect(answer.length).toBe(1))
    clearNotices()
    answer()
    await press('Borrow 2')
    expect(await screen.findByText(/^No\. /)).toBeVisible()
    expect(screen.queryByText('Book 1 is yours.')).toBeNull()
  })

  it('R-SEAM-5: a lost answer is asked for again under the same key, and says what the server did', async () => {
    let answers = 0
    const made = fakeServer({
      'POST /books/1/loans': () => {
        answers += 1
        return answers === 1 ? lost() : lent
      },
    })
    show()
    await press('Borrow 1')
    expect(await screen.findByText('Book 1 is yours.')).toBeVisible()
    expect(new Set(keysOf(made)).size).toBe(1)
  })

  it('R-SEAM-5: without any answer, it is not said that nothing was done', async () => {
    fakeServer({ 'POST /books/1/loans': lost })
    show()
    await press('Borrow 1')
    const alert = await screen.findByRole('alert')
    expect(alert).toHaveTextContent('It is not known whether this was done.')
    expect(alert).not.toHaveTextContent('No.')
  })

  it('W2: pressed again after a lost answer, it carries the key of the first attempt; once answered, a new one', async () => {
    let answers = 0
    const made = fakeServer({
      'POST /books/1/loans': () => {
        answers += 1
        if (answers <= 2) return lost()
        return answers <= 4 ? problem(500, 'outcome-unknown') : lent
      },
    })
    show()
    // Each press without a known outcome is sent twice.
    for (const times of [2, 4, 5, 6]) {
      await press('Borrow 1')
      await waitFor(() => expect(answers).toBe(times))
    }
    const [first, ...others] = keysOf(made)
    expect(first).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
    expect(others.slice(0, 4)).toEqual([first, first, first, first])
    expect(others[4]).not.toBe(first)
  })

  it('W2: a refusal is an answer, and another book is another intent', async () => {
    const made = fakeServer({
      'POST /books/1/loans': problem(409, 'book-unavailable'),
      'POST /books/2/loans': lost,
    })
    show()
    for (const name of ['Borrow 1', 'Borrow 1', 'Borrow 2', 'Borrow 1']) await press(name)
    await waitFor(() => expect(made).toHaveLength(5))
    expect(new Set(keysOf(made)).size).toBe(4)
  })

  it('W21: of somebody who is signed out nothing is said twice', async () => {
    const made = fakeServer({ 'POST /books/1/loans': problem(401, 'not-signed-in') })
    show()
    await press('Borrow 1')
    await waitFor(() => expect(made).toHaveLength(1))
    expect(screen.queryByRole('alert')).not.toBeInTheDocument()
    expect(logged).not.toHaveBeenCalled()
  })
})

describe('V8, R-SEAM-5: a window that is closed after a lost answer and opened again', () => {
  function Window() {
    const { run } = useAction(borrow)
    return (
      <button type="button" onClick={() => void run(1)}>
        Borrow 1
      </button>
    )
  }
  const renew = action({
    name: 'renew',
    send: (id: number, call) => dataOf(client.POST('/books/{id}/loans', { params: { path: { id } }, ...call })),
  })
  function Other() {
    const { run } = useAction(renew)
    return (
      <button type="button" onClick={() => void run(1)}>
        Renew 1
      </button>
    )
  }
  function Windows() {
    const [shown, setShown] = useState(true)
    return (
      <>
        <button type="button" onClick={() => setShown(!shown)}>
          {shown ? 'Close' : 'Open'}
        </button>
        {shown && <Window />}
        <Other />
      </>
    )
  }
  const open = () => renderRoutes([{ path: '/', Component: Windows, HydrateFallback: () => null }], '/')

  it('repeats the same action and not a second one; another action of the same input is another', async () => {
    let works = false
    const made = fakeServer({ 'POST /books/1/loans': () => (works ? lent : lost()) })
    open()
    for (const name of ['Borrow 1', 'Renew 1', 'Close', 'Open']) await press(name)
    await waitFor(() => expect(made).toHaveLength(4))
    works = true
    await press('Borrow 1')
    await waitFor(() => expect(made).toHaveLength(5))
    const [first, other] = keysOf(made)
    expect(keysOf(made).at(-1)).toBe(first)
    expect(other).not.toBe(first)
  })

  it('begins anew for another person', async () => {
    const made = fakeServer({ 'POST /books/1/loans': lost })
    open()
    await press('Borrow 1')
    await waitFor(() => expect(made).toHaveLength(1))
    changePerson(queryClient, null)
    await press('Borrow 1')
    await waitFor(() => expect(made).toHaveLength(2))
    expect(new Set(keysOf(made)).size).toBe(2)
  })
})

describe('notices', () => {
  it('W4: failures of two rows stand beside each other until they are dismissed or tried again', async () => {
    let works = false
    fakeServer({
      'POST /books/1/loans': () => (works ? lent : problem(409, 'book-unavailable')),
      'POST /books/2/loans': problem(409, 'loan-fined'),
    })
    vi.useFakeTimers({ shouldAdvanceTime: true })
    try {
      show()
      await press('Borrow 1')
      await press('Borrow 2')
      expect(await screen.findByText('No. This book is currently not available for borrowing.')).toBeVisible()
      expect(screen.getByText(/^No. This loan is overdue/)).toBeVisible()
      await vi.advanceTimersByTimeAsync(60_000)
      expect(screen.getAllByRole('alert')).toHaveLength(2)

      works = true
      await press('Borrow 1')
      expect(await screen.findByText('Book 1 is yours.')).toBeVisible()
      await waitFor(() => expect(screen.getAllByRole('alert')).toHaveLength(1))
      await userEvent.click(within(screen.getByRole('alert')).getByRole('button', { name: 'Close' }))
      await waitFor(() => expect(screen.queryByRole('alert')).not.toBeInTheDocument())
    } finally {
      vi.useRealTimers()
    }
  })

  it('R-UNDO-1: a success that names its change offers Undo, which takes it back with a key of its own', async () => {
    const made = fakeServer({
      'POST /books/1/loans': { ...lent, headers: { 'Undoable-Change': '7' } },
      'POST /changes/7/undo': { body: { change: 8, text: 'Undone.', messages: [] } },
    })
    show()
    await press('Borrow 1')
    await press('Undo')
    await waitFor(() => expect(screen.queryByText('Book 1 is yours.')).not.toBeInTheDocument())
    await waitFor(() => expect(made.map(({ url }) => url)).toContainEqual(expect.stringContaining('/changes/7/undo')))
    expect(new Set(keysOf(made)).size).toBe(2)
  })

  it('R-SEAM-5: an Undo answered with an error of the server is asked for again under its key', async () => {
    let answers = 0
    const made = fakeServer({
      'POST /books/1/loans': { ...lent, headers: { 'Undoable-Change': '7' } },
      'POST /changes/7/undo': () => {
        answers += 1
        const messages = [{ code: 'undone.lent', params: { title: 'Book 1' }, text: 'Undone.' }]
        return answers === 1 ? problem(500, 'internal') : { body: { change: 8, text: 'Undone.', messages } }
      },
    })
    show()
    await press('Borrow 1')
    await press('Undo')
    expect(await screen.findByText(/^Undone/)).toBeVisible()
    const [, first, second] = keysOf(made)
    expect(second).toBe(first)
  })

  it('R-UNDO-1: an Undo says what it restored', async () => {
    fakeServer({
      'POST /books/1/loans': { ...lent, headers: { 'Undoable-Change': '7' } },
      'POST /changes/7/undo': {
        body: {
          change: 8,
          text: 'Undone: “Book 1” was not lent.',
          messages: [{ code: 'undone.lent', params: { title: 'Book 1' }, text: 'Undone: “Book 1” was not lent.' }],
        },
      },
    })
    show()
    await press('Borrow 1')
    await press('Undo')
    expect(await screen.findByText('Undone: “Book 1” was not lent.')).toBeVisible()
  })

  it('N14: a notice with the focus stays until it has lost it', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    try {
      fakeServer({ 'POST /books/1/loans': { ...lent, headers: { 'Undoable-Change': '7' } } })
      show()
      await press('Borrow 1')
      const undo = await screen.findByRole('button', { name: 'Undo' })
      act(() => undo.focus())
      await vi.advanceTimersByTimeAsync(60_000)
      expect(undo).toBeVisible()
      act(() => undo.blur())
      await vi.advanceTimersByTimeAsync(16_000)
      await waitFor(() => expect(screen.queryByRole('button', { name: 'Undo' })).not.toBeInTheDocument())
    } finally {
      vi.useRealTimers()
    }
  })

  it.each(['Undo', 'Close'])('give the focus back to the button pressed before, after %s', async (name) => {
    fakeServer({
      'POST /books/1/loans': { ...lent, headers: { 'Undoable-Change': '7' } },
      'POST /changes/7/undo': { body: { change: 8, text: 'Undone.', messages: [] } },
    })
    show()
    await press('Borrow 1')
    const button = await screen.findByRole('button', { name })
    act(() => button.focus())
    await userEvent.keyboard('{Enter}')
    await waitFor(() => expect(button).not.toBeInTheDocument())
    expect(screen.getByRole('button', { name: 'Borrow 1' })).toHaveFocus()
  })

  it('R-UNDO-1: a success that cannot be taken back offers nothing', async () => {
    fakeServer({ 'POST /books/1/loans': lent })
    show()
    await press('Borrow 1')
    expect(await screen.findByText('Book 1 is yours.')).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Undo' })).not.toBeInTheDocument()
  })

  it('R-UNDO-2: an Undo that is refused says why', async () => {
    fakeServer({
      'POST /books/1/loans': { ...lent, headers: { 'Undoable-Change': '7' } },
      'POST /changes/7/undo': problem(409, 'refused'),
    })
    show()
    await press('Borrow 1')
    await press('Undo')
    expect(await screen.findByRole('alert')).toHaveTextContent('This could not be undone.')
  })

  it('W5: what is told before notices can be shown is shown later', async () => {
    notify.failure('Told early.')
    show()
    expect(await screen.findByRole('alert')).toHaveTextContent('Told early.')
  })

  it('V10: failures never keep a later notice from being seen, and one reason is told once', async () => {
    show()
    act(() => {
      for (const reason of ['One.', 'Two.', 'Two.', 'Three.', 'Four.', 'Five.']) notify.failure(reason)
      notify.success('Done.')
    })
    expect(await screen.findByText('Done.')).toBeVisible()
    const told = screen.getAllByRole('alert').map(({ textContent }) => textContent)
    expect(told.toSorted()).toEqual(['Five.', 'Four.', 'Three.'])
  })
})

describe('W3: a call that is never answered', () => {
  it.each([
    ['GET', 20_000],
    ['PATCH', 30_000],
  ] as const)('%s is given up after %i ms, in plain words', async (method, patience) => {
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
      const gone = new AbortController()
      setTimeout(() => gone.abort(new DOMException('late', 'TimeoutError')))
      return gone.signal
    })
    vi.stubGlobal(
      'fetch',
      (_request: Request, { signal }: RequestInit) =>
        new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
    )
    const profile = { name: 'Asha', rollNumber: '1', department: 'Physics' }
    const call = method === 'GET' ? client.GET('/me') : client.PATCH('/me', { body: profile })
    await expect(dataOf(call)).rejects.toThrow('The library did not answer in time.')
    expect(timeout).toHaveBeenCalledWith(patience)
  })
})
