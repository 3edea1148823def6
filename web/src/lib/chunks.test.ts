import { describe, expect, it, vi } from 'vitest'
import { ChunkLoadError, loadChunk } from './chunks'

describe('R-SHELL-3: a chunk that fails states which chunk and why', () => {
  it('gives what was loaded', async () => {
    await expect(loadChunk('books', async () => 42)).resolves.toBe(42)
  })

  it('timeout after 120 000 ms', async () => {
    vi.useFakeTimers()
    try {
      const loading = loadChunk('books', () => new Promise(() => undefined))
      const failed = expect(loading).rejects.toThrow('Loading chunk books failed. (timeout)')
      await vi.advanceTimersByTimeAsync(119_999)
      expect(vi.getTimerCount()).toBe(1)
      await vi.advanceTimersByTimeAsync(1)
      await failed
    } finally {
      vi.useRealTimers()
    }
  })

  it.each([
    'Failed to fetch dynamically imported module: http://library.test/x.js',
    'error loading dynamically imported module',
    'Importing a module script failed.',
    'Unable to preload CSS for /library/static/css/x.css',
  ])('missing: %s', async (message) => {
    const failed = loadChunk('books', () => Promise.reject(new TypeError(message)))
    await expect(failed).rejects.toThrow('Loading chunk books failed. (missing)')
  })

  it("the error's type for a fault inside the chunk", async () => {
    const failed = loadChunk('books', () => Promise.reject(new RangeError('too much')))
    await expect(failed).rejects.toThrow('Loading chunk books failed. (RangeError)')
    await expect(failed).rejects.toBeInstanceOf(ChunkLoadError)
  })
})
