import { fireEvent, render, screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { book } from '../../../testing/samples'
import { BookCover } from './BookCover'

const picture = () => document.querySelector('img')

describe('cover of a book', () => {
  it('falls back from the photo to the drawn cover to a plain board', () => {
    render(<BookCover book={book(12, { photoURL: 'https://pictures.test/12.jpg' })} alone />)
    expect(picture()).toHaveAttribute('src', 'https://pictures.test/12.jpg')
    fireEvent.error(screen.getByRole('img'))
    expect(picture()).toHaveAttribute('src', '/library/covers/12.svg')
    fireEvent.error(screen.getByRole('img'))
    expect(picture()).toBeNull()
    expect(screen.getByRole('img', { name: 'Cover of Book 12' })).toHaveTextContent('Book 12')
  })

  it('without a photo the drawn cover is shown at once, and is silent beside a title', () => {
    render(<BookCover book={book(12)} />)
    expect(picture()).toHaveAttribute('src', '/library/covers/12.svg')
    expect(picture()).toHaveAttribute('alt', '')
  })
})
