import { beforeEach, expect, it } from 'vitest'
import { draftOf } from './drafts'

const SAMPLE = { title: '', copies: 1, base: { title: '' } }

beforeEach(() => sessionStorage.clear())

it('W24: a draft comes back to the person who typed it, and to nobody else', () => {
  const draft = draftOf(1, 'add', SAMPLE)
  draft.write({ title: 'Em', copies: 2, base: { title: '' } })
  expect(draftOf(1, 'add', SAMPLE).read()).toEqual({ title: 'Em', copies: 2, base: { title: '' } })
  expect(draftOf(2, 'add', SAMPLE).read()).toBeNull()
  expect(draftOf(1, 'update 7', SAMPLE).read()).toBeNull()
  draft.remove()
  expect(draft.read()).toBeNull()
})

it.each([
  ['no JSON', '{'],
  ['nothing', 'null'],
  ['a field less', '{"title":"a","copies":1}'],
  ['another kind', '{"title":1,"copies":1,"base":{"title":""}}'],
  ['a part of another kind', '{"title":"a","copies":1,"base":"x"}'],
])('a draft with %s is not read', (_what, text) => {
  sessionStorage.setItem('draft 1 add', text)
  expect(draftOf(1, 'add', SAMPLE).read()).toBeNull()
})

it('W24: a list may be of any length, its parts all of one kind', () => {
  const draft = draftOf(1, 'closed days', { days: [{ name: '' }] })
  for (const days of [[], [{ name: 'Diwali' }], [{ name: 'Diwali' }, { name: 'Holi' }]]) {
    draft.write({ days })
    expect(draft.read()).toEqual({ days })
  }
  for (const days of ['[{"name":1}]', '{"0":{"name":"Diwali"}}', '"Diwali"']) {
    sessionStorage.setItem('draft 1 closed days', `{"days":${days}}`)
    expect(draft.read()).toBeNull()
  }
})

it('a number may be blank while it is typed', () => {
  sessionStorage.setItem('draft 1 add', '{"title":"a","copies":"","base":{"title":""}}')
  expect(draftOf(1, 'add', SAMPLE).read()).toMatchObject({ copies: '' })
})
