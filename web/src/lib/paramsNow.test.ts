import { expect, it } from 'vitest'
import { rebased } from './paramsNow'

const of = (search: string) => new URLSearchParams(search)

it('an order pressed just after a filter was changed keeps the new filter', () => {
  const shown = 'batch=2028&page=3'
  const to = 'batch=2028&sort=name'
  expect(rebased(of(shown), of(to), of('page=3')).toString()).toBe('sort=name')
  expect(rebased(of(shown), of(to), of('batch=2027&page=3')).toString()).toBe('batch=2027&sort=name')
  expect(rebased(of(shown), of(to), of(shown)).toString()).toBe(to)
})
