import { beforeEach, expect, it, vi } from 'vitest'
import { focusFirstError, focusIsFree, focusSearch } from './focus'

beforeEach(() => document.body.replaceChildren())

function show(html: string) {
  document.body.innerHTML = html
}

it('W24: the cursor goes into the first field on the screen that is wrong, however it is marked', async () => {
  show(`
    <input data-path="title" />
    <div data-path="rating"><input type="radio" /></div>
    <input data-path="barcodes" />`)
  const [title, rating, barcodes] = document.querySelectorAll('input')
  for (const [errors, first] of [
    [{ rating: '…', title: '…' }, title],
    [{ 'barcodes[3]': '…', rating: '…' }, rating],
    [{ 'barcodes[3]': '…' }, barcodes],
  ] as const) {
    focusFirstError(errors)
    await vi.waitFor(() => expect(document.activeElement).toBe(first))
  }
})

it('W24: a field of a window comes before one of the same name behind it', async () => {
  show(`
    <input data-path="currentPassword" />
    <section role="dialog" aria-modal="true"><input data-path="currentPassword" /></section>`)
  focusFirstError({ currentPassword: '…' })
  await vi.waitFor(() => expect(document.activeElement).toBe(document.querySelector('section input')))
})

it('W23: nobody loses the place: the focus is free on nothing and in a question that is closing', () => {
  show('<input type="search" value="emma" /><div role="dialog"><button>Delete</button></div>')
  expect(focusIsFree()).toBe(true)
  document.querySelector('button')?.focus()
  expect(focusIsFree()).toBe(true)
  expect(focusSearch()).toBe(true)
  expect(document.activeElement).toHaveAttribute('type', 'search')
  expect(focusIsFree()).toBe(false)
  show('')
  expect(focusSearch()).toBe(false)
})
