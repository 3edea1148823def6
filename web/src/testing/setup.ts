import '@testing-library/jest-dom/vitest'
import { cleanup, configure } from '@testing-library/react'
import { afterEach, vi } from 'vitest'
import catalogues from 'virtual:messages'
import { loadWords, startMessages } from '../lib/messages'
import type { MessagePart } from '../messages/types'

// A lazy screen is compiled when a test first opens it, which takes time.
configure({ asyncUtilTimeout: 10_000 })

// Node's own BroadcastChannel keeps a finished test run alive; without it the code uses the storage.
Reflect.deleteProperty(globalThis, 'BroadcastChannel')

// Missing in jsdom, required by Mantine.
window.matchMedia ??= (query) => ({
  matches: false,
  media: query,
  onchange: null,
  addListener: vi.fn(),
  removeListener: vi.fn(),
  addEventListener: vi.fn(),
  removeEventListener: vi.fn(),
  dispatchEvent: vi.fn(() => true),
})
globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
}
globalThis.Worker ??= class extends EventTarget {
  postMessage() {}
  terminate() {}
} as unknown as typeof Worker
// oxlint-disable-next-line typescript/unbound-method -- only looked at
Element.prototype.scrollIntoView ??= () => undefined
window.scrollTo = () => undefined
// oxlint-disable-next-line typescript/unbound-method -- only looked at
CSSStyleSheet.prototype.replaceSync ??= () => undefined
if (!('fonts' in document)) Object.defineProperty(document, 'fonts', { value: new EventTarget() })

// Tests use English.
await startMessages()
await loadWords(...(Object.keys(catalogues['en'] ?? {}) as MessagePart[]))

afterEach(() => {
  cleanup()
  localStorage.clear()
})
