import { onCLS, onFCP, onINP, onLCP, onTTFB, type Metric } from 'web-vitals'

/** How the page felt, collected until it is left or hidden, then posted in one go. */
const collected = new Map<string, Pick<Metric, 'name' | 'value' | 'rating'>>()

/** CLS and INP go on after the page was hidden: the server counts views, so the figure at the first time is the one. */
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
  // `keepalive` outlives the page; a figure that gets lost is no harm.
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
