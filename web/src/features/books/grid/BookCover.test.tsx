import { act, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { book } from '../../../testing/samples'
import { BookCover } from './BookCover'

const picture = () => document.querySelector('img')

describe('cover of a book', () => {
  it('falls back from the photo to the drawn cover to a plain board', async () => {
    render(<BookCover book={book(12, { photoURL: 'https://pictures.test/12.jpg' })} alone />)
    await waitFor(() => expect(picture()).toHaveAttribute('src', 'https://pictures.test/12.jpg'))
    fireEvent.error(screen.getByRole('img'))
    expect(picture()).toHaveAttribute('src', '/library/covers/12.svg')
    fireEvent.error(screen.getByRole('img'))
    expect(picture()).toBeNull()
    expect(screen.getByRole('img', { name: 'Cover of Book 12' })).toHaveTextContent('Book 12')
  })

  it('the drawn cover fills the place of a photo until it arrives', async () => {
    const { container } = render(<BookCover book={book(12, { photoURL: 'https://pictures.test/12.jpg' })} />)
    await waitFor(() =>
      expect(container.firstElementChild).toHaveStyle('background-image: url(/library/covers/12.svg)'),
    )
    fireEvent.load(picture()!)
    expect(container.firstElementChild).not.toHaveStyle('background-image: url(/library/covers/12.svg)')
  })

  it('without a photo the drawn cover is shown at once, and is silent beside a title', async () => {
    render(<BookCover book={book(12)} />)
    await waitFor(() => expect(picture()).toHaveAttribute('src', '/library/covers/12.svg'))
    expect(picture()).toHaveAttribute('alt', '')
  })

  it('few covers begin in a frame, one after a long frame or while scrolling, and none while they fly by', () => {
    const frames: FrameRequestCallback[] = []
    vi.stubGlobal('requestAnimationFrame', (run: FrameRequestCallback) => frames.push(run))
    // Time advances with frames only: on a slow computer the first frame would otherwise be a long one.
    let now = 1000
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    const passFrame = (took: number, scrolledTo: number) => {
      if (scrolledTo !== window.scrollY) {
        vi.stubGlobal('scrollY', scrolledTo)
        fireEvent.scroll(window)
      }
      now += took
      act(() => {
        for (const run of frames.splice(0)) run(now)
      })
    }
    const begun = () => [...document.querySelectorAll('img')].filter((image) => image.src !== '').length
    const { unmount } = render([1, 2, 3, 4, 5, 6].map((id) => <BookCover key={id} book={book(id)} />))
    expect(begun()).toBe(0)
    passFrame(30, 0)
    expect(begun()).toBe(1)
    passFrame(16, 200)
    expect(begun()).toBe(1)
    passFrame(16, 210)
    expect(begun()).toBe(2)
    passFrame(16, 210)
    expect(begun()).toBe(5)
    unmount()
    passFrame(16, 210)
    expect(frames).toHaveLength(0)
  })
})
