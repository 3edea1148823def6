import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, type Page } from '@playwright/test'
import type { AxeResults } from 'axe-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Checked rules: WCAG 2.0 to 2.2, levels A and AA, or those affected by a change of one property. */
const WCAG = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }
const only = (...values: string[]) => ({ runOnly: { type: 'rule', values } })
const CHECKS = {
  everything: { runOnly: WCAG },
  colours: only('color-contrast', 'link-in-text-block'),
  /** Contrast is by far the slowest rule. */
  'all but contrast': { runOnly: WCAG, rules: { 'color-contrast': { enabled: false } } },
  language: only('html-has-lang', 'html-lang-valid', 'valid-lang', 'target-size'),
} as const

declare global {
  interface Window {
    axe?: { run: (context: Document, options: object) => Promise<AxeResults> }
  }
}

/**
 * Expects no violation of WCAG. The checker is injected once per document through the debugging protocol, so the page's
 * policy stays on.
 */
export async function expectAccessible(
  page: Page,
  state: string,
  check: keyof typeof CHECKS = 'everything',
): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source)
  // Read once: each run of the checker takes a second.
  const breaches = await page.evaluate(async (rules) => {
    const results = await window.axe?.run(document, { ...rules, resultTypes: ['violations'] })
    if (!results) return ['the checker is not there']
    return results.violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary ?? ''}`),
    )
  }, CHECKS[check])
  expect.soft(breaches, `accessibility of ${state}`).toEqual([])
}

/** Expects no horizontal overflow, so that the page scrolls in one direction only. */
export async function expectNoSidewaysScroll(page: Page, state: string): Promise<void> {
  const wide = () =>
    page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement
      return scrollWidth - clientWidth
    })
  await expect.poll(wide, `pixels that stick out: ${state}`).toBe(0)
}
