import { expect, it } from 'vitest'
import { addressWith, listIn, orderOf } from './listing'

it('R-PEOPLE-1: what an address cannot mean is left out', () => {
  const list = (search: string) => listIn(new URLSearchParams(search))
  expect(list('q=asha&filter=owes&batch=2027&sort=-batch')).toEqual({
    q: 'asha',
    filter: 'owes',
    batch: '2027',
    sort: '-batch',
  })
  expect(list('filter=shoes&sort=shoes')).toEqual({ q: '', filter: null, batch: '', sort: '' })
})

it('R-PEOPLE-1: a heading orders the usual way first, amounts from the most, then the other way; pages begin anew', () => {
  const order = (search: string, by: 'name' | 'owes') => orderOf(new URLSearchParams(search), by)
  expect(order('cursor=x', 'name')).toEqual({ direction: 'ascending', to: 'sort=-name' })
  expect(order('sort=-name', 'name')).toEqual({ direction: 'descending', to: 'sort=name' })
  expect(order('', 'owes')).toEqual({ direction: null, to: 'sort=-owes' })
  expect(order('sort=-owes&q=a', 'owes')).toEqual({ direction: 'descending', to: 'sort=owes&q=a' })
  expect(addressWith(new URLSearchParams('batch=2027&cursor=x&filter=owes'), 'batch', '2028')).toBe(
    'batch=2028&filter=owes',
  )
  expect(addressWith(new URLSearchParams('filter=owes&cursor=x&q=a'), 'filter', null)).toBe('q=a')
})
