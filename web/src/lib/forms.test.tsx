import { fireEvent, render, screen } from '@testing-library/react'
import { useState } from 'react'
import { expect, it } from 'vitest'
import { lowerCased } from './forms'

function Field() {
  const [text, setText] = useState('')
  return <input aria-label="Roll number" value={text} {...lowerCased(setText)} />
}

it('W20: what an input method composes is lowered when it is done, and not before', () => {
  render(<Field />)
  const field = screen.getByLabelText('Roll number')
  fireEvent.compositionStart(field)
  fireEvent.input(field, { target: { value: 'CS26' }, isComposing: true })
  expect(field).toHaveValue('CS26')
  fireEvent.compositionEnd(field)
  expect(field).toHaveValue('cs26')
})

it('R-REG-2: what is typed is lowered at once', () => {
  render(<Field />)
  const field = screen.getByLabelText('Roll number')
  fireEvent.input(field, { target: { value: 'CS26' } })
  expect(field).toHaveValue('cs26')
})
