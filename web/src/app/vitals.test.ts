import type { Metric } from 'web-vitals'
import { expect, it, vi } from 'vitest'

const told: ((metric: Metric) => void)[] = []
const on = (tell: (metric: Metric) => void) => {
  told.push(tell)
}
vi.mock('web-vitals', () => ({ onCLS: on, onFCP: on, onINP: on, onLCP: on, onTTFB: on }))

it('W21: a figure is posted once for a page view, however often the page is hidden', async () => {
  const fetch = vi.fn((_url: string, _init: RequestInit) => Promise.resolve(new Response(null)))
  vi.stubGlobal('fetch', fetch)
  await import('./vitals')
  const [tell] = told
  const measured = (value: number) => tell?.({ id: 'v5-1', name: 'CLS', value, rating: 'good' } as Metric)
  measured(0.01)
  dispatchEvent(new Event('pagehide'))
  measured(0.02)
  dispatchEvent(new Event('pagehide'))
  expect(fetch.mock.calls.map(([, { body }]) => body)).toEqual([
    JSON.stringify({ metrics: [{ name: 'CLS', value: 0.01, rating: 'good' }] }),
  ])
})
