import { act, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { MantineProvider } from '@mantine/core'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { storedRole } from '../../../lib/storage'
import { renderApp } from '../../../testing/render'
import { book, bookDetail, bookPage, loan, sessionOf, student } from '../../../testing/samples'
import { fakeServer } from '../../../testing/server'
import { Carousel } from './Carousel'
import { aboutLoans } from './Highlights'

describe('student home', () => {
  it('R-STU-1: search, cards without edit or delete, double click opens /stubook-detail/{id}', async () => {
    window.innerWidth = 1440
    storedRole.set('student')
    fakeServer({
      'GET /auth/session': sessionOf(student),
      'GET /books': bookPage([book(7, { title: 'Middlemarch', author: 'George Eliot' })]),
      'GET /books/7': { body: bookDetail(7) },
    })
    const { router } = renderApp('/student-home')
    expect(await screen.findByRole('searchbox')).toBeVisible()
    await userEvent.dblClick(await screen.findByRole('link', { name: 'Middlemarch' }))
    expect(screen.queryByRole('button', { name: /Delete/ })).not.toBeInTheDocument()
    expect(screen.queryByRole('link', { name: /^Update/ })).not.toBeInTheDocument()
    await waitFor(() => expect(router.state.location.pathname).toBe('/library/stubook-detail/7'))
  })
})

describe('what the reader has', () => {
  it('U14: is told in one sentence, with what is due or overdue', () => {
    expect(aboutLoans([])).toMatch(/^You have no books/)
    expect(aboutLoans([loan(1, { returnDate: '2026-11-30' }), loan(2)])).toBe(
      '2 books with you, next due Saturday 28 Nov.',
    )
    expect(aboutLoans([loan(2), loan(3, { overdueDays: 4, fine: 20 })])).toBe(
      '2 books with you · one is 4 days overdue, ₹20.',
    )
    expect(aboutLoans([loan(3, { overdueDays: 1, fine: 5 }), loan(3, { overdueDays: 4, fine: 20 })])).toBe(
      '2 books with you · 2 are overdue, one by 4 days, ₹25.',
    )
  })
})

describe('carousel', () => {
  const slides = [
    { name: 'one', interval: 1000, content: 'First' },
    { name: 'two', interval: 500, content: 'Second' },
    { name: 'three', interval: 5000, content: 'Third' },
  ]
  const show = () =>
    render(
      <MantineProvider env="test">
        <Carousel label="Highlights" slides={slides} />
      </MantineProvider>,
    )
  const current = () => document.querySelector('[aria-roledescription=slide]:not([inert])')?.textContent
  function pass(ms: number) {
    act(() => {
      vi.advanceTimersByTime(ms)
    })
  }

  beforeEach(() => {
    sessionStorage.clear()
    vi.useFakeTimers()
  })
  afterEach(() => vi.useRealTimers())

  it('R-STU-1: three slides stand for 1000, 500 and 5000 ms', () => {
    show()
    expect(current()).toBe('First')
    pass(999)
    expect(current()).toBe('First')
    pass(1)
    expect(current()).toBe('Second')
    pass(500)
    expect(current()).toBe('Third')
    pass(4999)
    expect(current()).toBe('Third')
    pass(1)
    expect(current()).toBe('First')
  })

  it('R-STU-4: it can be paused and played, and waits while the pointer is on it', () => {
    show()
    fireEvent.click(screen.getByRole('button', { name: 'Pause the slides' }))
    pass(60_000)
    expect(current()).toBe('First')
    fireEvent.click(screen.getByRole('button', { name: 'Play the slides' }))
    pass(1000)
    expect(current()).toBe('Second')
    fireEvent.mouseEnter(screen.getByRole('region', { name: 'Highlights' }))
    pass(60_000)
    expect(current()).toBe('Second')
  })

  it('W21: a pause outlives a search, which takes the slides away', () => {
    const { unmount } = show()
    fireEvent.click(screen.getByRole('button', { name: 'Pause the slides' }))
    unmount()
    show()
    pass(60_000)
    expect(current()).toBe('First')
  })

  it('W11: a slide is made when it is shown or next, so that its pictures are not fetched for nothing', () => {
    show()
    expect(screen.queryByText('Third')).not.toBeInTheDocument()
    pass(1000)
    expect(screen.getByText('Third')).toBeInTheDocument()
  })

  it('R-STU-4: it stands still under prefers-reduced-motion', () => {
    const asked = window.matchMedia
    vi.spyOn(window, 'matchMedia').mockImplementation((query) =>
      Object.assign(asked(query), { matches: query.includes('reduced-motion') }),
    )
    show()
    pass(60_000)
    expect(current()).toBe('First')
    fireEvent.click(screen.getByRole('button', { name: /Show slide 3/ }))
    expect(current()).toBe('Third')
  })
})
