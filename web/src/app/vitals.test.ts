import type { Metric } from 'web-vitals'
import { expect, it, vi } from 'vitest'

const listeners: ((metric: Metric) => void)[] = []
const on = (listener: (metric: Metric) => void) => {
  listeners.push(listener)
}
vi.mock('web-vitals', () => ({ onCLS: on, onFCP: on, onINP: on, onLCP: on, onTTFB: on }))

it('W21: a figure is posted once for a page view, however often the page is hidden', async () => {
  const fetch = vi.fn((_url: string, _init: RequestInit) => Promise.resolve(new Response(null)))
  vi.stubGlobal('fetch', fetch)
  await import('./vitals')
  const [listener] = listeners
  const measured = (value: number) => listener?.({ id: 'v5-1', name: 'CLS', value, rating: 'good' } as Metric)
  measured(0.01)
  dispatchEvent(new Event('pagehide'))
  measured(0.02)
  dispatchEvent(new Event('pagehide'))
  expect(fetch.mock.calls.map(([, { body }]) => body)).toEqual([
    JSON.stringify({ metrics: [{ name: 'CLS', value: 0.01, rating: 'good' }] }),
  ])
})
