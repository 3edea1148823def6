import { onCLS, onFCP, onINP, onLCP, onTTFB, type Metric } from 'web-vitals'

/** Figures of the page view, collected until the page is hidden, then posted together. */
const collected = new Map<string, Pick<Metric, 'name' | 'value' | 'rating'>>()

/** CLS and INP change after the page was hidden, but the server counts page views: only the first value is sent. */
const sent = new Set<string>()

function collect({ id, name, value, rating }: Metric): void {
  if (sent.has(id)) return
  collected.set(id, { name, value, rating })
}

function send(): void {
  if (collected.size === 0) return
  const body = JSON.stringify({ metrics: [...collected.values()] })
  for (const id of collected.keys()) sent.add(id)
  collected.clear()
  // `keepalive` outlives the page; losing a figure does no harm.
  fetch('/library/api/v1/vitals', {
    method: 'POST',
    keepalive: true,
    headers: { 'Content-Type': 'application/json' },
    body,
  }).catch(() => undefined)
}

for (const on of [onCLS, onFCP, onINP, onLCP, onTTFB]) on(collect)
addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') send()
})
addEventListener('pagehide', send)
