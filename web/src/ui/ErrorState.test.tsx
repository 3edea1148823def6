import { MantineProvider } from '@mantine/core'
import { render } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ProblemError } from '../lib/problem'
import { ErrorState } from './ErrorState'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it.each([
  ['unavailable', 503, 2],
  ['unreachable', 0, 2],
  ['not-found', 404, 0],
] as const)(
  'R-FAIL-1: content that failed to load (%s, %i) is tried again %i times in half a minute, and once more with the network',
  (code, status, times) => {
    const onRetry = vi.fn()
    render(
      <MantineProvider>
        <ErrorState error={new ProblemError({ status, code, detail: 'It failed.' })} onRetry={onRetry} />
      </MantineProvider>,
    )
    vi.advanceTimersByTime(30_000)
    expect(onRetry).toHaveBeenCalledTimes(times)
    dispatchEvent(new Event('online'))
    expect(onRetry).toHaveBeenCalledTimes(times && times + 1)
  },
)
