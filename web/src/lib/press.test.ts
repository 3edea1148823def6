import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { notDuringPress } from './press'

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.runAllTimers()
  vi.useRealTimers()
})

const send = (type: string) => window.dispatchEvent(new Event(type))

test('runs a callback in a microtask while no pointer is down', async () => {
  const callback = vi.fn()
  notDuringPress(callback)
  expect(callback).not.toHaveBeenCalled()
  await Promise.resolve()
  expect(callback).toHaveBeenCalledOnce()
})

test('holds a callback from the press until the handlers of its click have run', async () => {
  const callback = vi.fn()
  send('pointerdown')
  notDuringPress(callback)
  send('pointerup')
  await Promise.resolve()
  expect(callback).not.toHaveBeenCalled()
  send('click')
  await Promise.resolve()
  expect(callback).not.toHaveBeenCalled()
  vi.advanceTimersByTime(0)
  expect(callback).toHaveBeenCalledOnce()
})

test('a click’s own callbacks do not wait', async () => {
  const callback = vi.fn()
  send('pointerdown')
  send('pointerup')
  send('click')
  notDuringPress(callback)
  await Promise.resolve()
  expect(callback).toHaveBeenCalledOnce()
})

test.each(['pointercancel', 'pointerup', null])('a press without a click ends by itself: %s', (type) => {
  const callback = vi.fn()
  send('pointerdown')
  notDuringPress(callback)
  if (type !== null) send(type)
  vi.advanceTimersByTime(2001)
  expect(callback).toHaveBeenCalledOnce()
})
