import { expect, type Page } from '@playwright/test'
import { expectNoSidewaysScroll } from './accessible'

/** Waits until nothing is found, as the page may still be moving. */
const soon = (find: () => Promise<string[]>, what: string) =>
  expect
    .configure({ soft: true })
    .poll(find, { message: what, intervals: [100, 300, 1000] })
    .toEqual([])

/** Returns unreadable texts: collects each line of each visible text with its position. */
function unreadable(): string[] {
  type Line = { text: Text; words: string; left: number; right: number; top: number; bottom: number }
  const wrong: string[] = []
  const lines: Line[] = []
  const seen = { opacityProperty: true, visibilityProperty: true }

  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node as Text
    const parent = text.parentElement
    const words = text.data.trim()
    if (words === '' || !parent?.checkVisibility(seen) || parent.closest('[inert], select, datalist')) continue
    const range = document.createRange()
    range.selectNodeContents(text)
    const box = range.getBoundingClientRect()
    // Visible part within the enclosing boxes, and the box that clips it without a hint.
    let [left, right, top, bottom] = [0, Infinity, -Infinity, Infinity]
    let [hidden, reached] = [false, false]
    for (let around: Element | null = parent; around && around !== document.body; around = around.parentElement) {
      const style = getComputedStyle(around)
      // Sticky content covers what scrolls beneath it.
      if (style.position === 'sticky' || style.position === 'fixed') hidden = true
      if (style.overflow === 'visible' || style.display === 'inline') continue
      const edge = around.getBoundingClientRect()
      if (edge.width <= 1 || edge.height <= 1 || style.clipPath !== 'none') hidden = true
      left = Math.max(left, edge.left)
      right = Math.min(right, edge.right)
      top = Math.max(top, edge.top)
      bottom = Math.min(bottom, edge.bottom)
      // The rest can be scrolled to, or an ellipsis marks it.
      reached ||= style.overflow.includes('auto') || style.overflow.includes('scroll')
      reached ||= style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none'
      const across = box.left < edge.left - 2 || box.right > edge.right + 2
      const down = box.top < edge.top - 4 || box.bottom > edge.bottom + 4
      if (!hidden && !reached && (across || down)) wrong.push(`cut off: ${words}`)
    }
    if (hidden) continue
    const rows = new Set(Array.from(range.getClientRects(), (rect) => Math.round(rect.top)))
    if (rows.size > 1 && /^\p{L}{2,12}$/u.test(words)) wrong.push(`torn: ${words}`)
    for (const rect of range.getClientRects()) {
      const line = {
        text,
        words,
        left: Math.max(rect.left, left),
        right: Math.min(rect.right, right),
        top: Math.max(rect.top, top),
        bottom: Math.min(rect.bottom, bottom),
      }
      if (line.right - line.left > 1 && line.bottom - line.top > 1) lines.push(line)
    }
  }

  for (const [index, a] of lines.entries()) {
    for (const b of lines.slice(index + 1)) {
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left)
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)
      // Lines may touch; letters may not.
      if (a.text !== b.text && across > 2 && down > 6) wrong.push(`on each other: ${a.words} | ${b.words}`)
    }
  }
  return [...new Set(wrong)]
}

/** Expects that no text overflows, is clipped without a sign, or overlaps another. */
export async function expectReadable(page: Page, state: string): Promise<void> {
  await expectNoSidewaysScroll(page, state)
  await soon(() => page.evaluate(unreadable), `texts that cannot be read: ${state}`)
}

/** Returns controls smaller than a fingertip; links within a sentence are as high as its line. */
function smallTargets(): string[] {
  const LEAST = 43.5
  const targets = document.querySelectorAll<HTMLElement>(
    'a[href], button, summary, select, textarea, input, [role^="menuitem"]',
  )
  return [...targets].flatMap((target) => {
    if (!target.checkVisibility({ visibilityProperty: true }) || target.closest('[inert]')) return []
    const { display, clipPath } = getComputedStyle(target)
    if (clipPath !== 'none' || (target.matches('a') && display === 'inline')) return []
    // The label of a checkbox can be pressed too.
    const parts = [target, ...(target instanceof HTMLInputElement ? (target.labels ?? []) : [])]
    const boxes = parts.map((part) => part.getBoundingClientRect())
    // Off screen until the Tab key reaches it.
    if (boxes.every(({ bottom }) => bottom <= 0)) return []
    const height = Math.max(...boxes.map(({ bottom }) => bottom)) - Math.min(...boxes.map(({ top }) => top))
    const width = Math.max(...boxes.map(({ right }) => right)) - Math.min(...boxes.map(({ left }) => left))
    // A link is as wide as its words.
    if (height >= LEAST && (width >= LEAST || target.matches('a'))) return []
    const name = target.getAttribute('aria-label') ?? target.textContent.trim()
    return [`${target.tagName.toLowerCase()} “${name}” ${Math.round(width)} × ${Math.round(height)}`]
  })
}

/** U27: 44 pixels for every control pressed with a finger. */
export async function expectRoomForFingers(page: Page, state: string): Promise<void> {
  await soon(() => page.evaluate(smallTargets), `too small for a finger: ${state}`)
}

/** Returns fields and buttons without an edge, or with one in the page's background colour. */
function withoutEdge(): string[] {
  const canvas = getComputedStyle(document.body).backgroundColor
  const things = document.querySelectorAll<HTMLElement>(
    '.mantine-Button-root, .mantine-Input-input, .mantine-Checkbox-input, .mantine-Badge-root, .mantine-Modal-content',
  )
  return [...things]
    .filter((thing) => thing.checkVisibility({ visibilityProperty: true }))
    .filter((thing) => {
      const { borderTopStyle, borderTopWidth, borderTopColor } = getComputedStyle(thing)
      return borderTopStyle === 'none' || parseFloat(borderTopWidth) === 0 || borderTopColor === canvas
    })
    .map((thing) => `${thing.className} ${thing.textContent}`)
}

/** Expects an edge around every field and button in forced colours. */
export async function expectEdges(page: Page, state: string): Promise<void> {
  await soon(() => page.evaluate(withoutEdge), `without an edge: ${state}`)
}

/** Opens a screen and waits for its data. */
export async function open(page: Page, screen: string): Promise<void> {
  await page.goto(screen)
  await expect(page.getByRole('heading', { level: 1 }).filter({ visible: true })).toHaveCount(1)
  await expect(page.locator('.mantine-Skeleton-root')).toHaveCount(0)
}
