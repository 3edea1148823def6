import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, type Page } from '@playwright/test'
import type { AxeResults } from 'axe-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

declare global {
  interface Window {
    axe: { run: (context: Document, options: object) => Promise<AxeResults> }
  }
}

/** No breach of WCAG 2.0 to 2.2, levels A and AA. The checker comes in over the browser's own wire; the policy stays on. */
export async function expectAccessible(page: Page, state: string): Promise<void> {
  await page.evaluate(source)
  const breaches = await page.evaluate(async (tags) => {
    const { violations } = await window.axe.run(document, {
      runOnly: { type: 'tag', values: tags },
      resultTypes: ['violations'],
    })
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary ?? ''}`),
    )
  }, TAGS)
  expect(breaches, `accessibility of ${state}`).toEqual([])
}

/** Nothing sticks out on the side, so nobody has to scroll two ways. */
export async function expectNoSidewaysScroll(page: Page, state: string): Promise<void> {
  const wide = () =>
    page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement
      return scrollWidth - clientWidth
    })
  await expect.poll(wide, `pixels that stick out: ${state}`).toBe(0)
}
