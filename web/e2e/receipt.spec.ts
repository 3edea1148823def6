import type { Page } from '@playwright/test'
import type { Receipt } from '../src/api/types'
import { expect, present, test } from './support/test'

test.use({ as: 'librarian' })

/** Sizes of a PDF's pages in millimetres: its `MediaBox` is in points. */
const pagesOf = (pdf: Buffer): { width: number; height: number }[] =>
  [...pdf.toString('latin1').matchAll(/\/MediaBox\s*\[\s*0 0 ([\d.]+) ([\d.]+)\s*\]/g)].map(([, width, height]) => ({
    width: Math.round((Number(width) * 25.4) / 72),
    height: Math.round((Number(height) * 25.4) / 72),
  }))

/** Returns the printed elements that overflow the paper or do not belong to the receipt. */
const onPaper = (page: Page, width: number) =>
  page.evaluate((millimetres) => {
    const receipt = document.querySelector('[data-print]')
    if (!receipt) return ['there is no receipt']
    const wrong: string[] = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const around = node.parentElement
      if (!around?.checkVisibility() || node.textContent?.trim() === '' || around.matches('script, style')) continue
      if (!receipt.contains(around)) wrong.push(`beside the receipt: ${node.textContent}`)
      const range = document.createRange()
      range.selectNodeContents(node)
      const { left, right } = range.getBoundingClientRect()
      if (left < -0.5 || right > (millimetres * 96) / 25.4 + 0.5) wrong.push(`sticks out: ${node.textContent}`)
    }
    return wrong
  }, width)

for (const { paper, width, inside } of [
  { paper: '58mm', width: 58, inside: 50 },
  { paper: '80mm', width: 80, inside: 72 },
  { paper: 'a5', width: 148, inside: 124 },
]) {
  test(`R-DESK-7 R-MONEY-3 a receipt fits on ${paper}, in English and Hindi, and a reprint says COPY`, async ({
    page,
    library,
    who,
  }) => {
    const librarian = present(who)
    const { uid } = (await library.student({ name: 'Venkatanarasimharajuvaripeta Subrahmanyeswara' })).user
    for (const reason of [
      'A small card',
      'Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz, volume 2',
    ]) {
      await librarian.ask('POST', `/people/${uid}/charges`, { amount: 1250.5, kind: 'damage', reason })
    }
    const payment = { amount: 2000, method: 'upi', reference: 'UPI-2026-11-22-000000000001234567' }
    const { receipt } = await librarian.ask<{ receipt: Receipt }>('POST', `/people/${uid}/payments`, payment)
    const address = `receipt/${receipt.number.replace('/', '-')}`
    // The print of the page waits for the test's own.
    await page.addInitScript(() => {
      window.print = () => {
        const { dataset } = document.body
        dataset.prints = String(Number(dataset.prints ?? 0) + 1)
      }
    })
    let prints = 0
    for (const [language, copy, button] of [
      ['en', 'COPY', 'Print receipt'],
      ['hi', 'प्रतिलिपि', 'रसीद छापें'],
    ] as const) {
      await page.goto(`${address}?lang=${language}`)
      const sheet = page.getByRole('article')
      await expect(sheet).toContainText(receipt.number)
      await page.getByRole('combobox').selectOption(paper)
      await expect(sheet).toHaveAttribute('data-paper', paper)
      for (const isFirst of [prints === 0, false]) {
        await page.getByRole('button', { name: button }).click()
        prints += 1
        // The screen names the next copy before the press already, so its mark alone does not show that it is counted.
        await expect(page.locator('body')).toHaveAttribute('data-prints', prints % 2 === 1 ? '1' : '2')
        if (isFirst) await expect(sheet).not.toContainText(copy)
        else await expect(sheet.getByText(`${copy} ${prints}`, { exact: true })).toBeVisible()
        await page.emulateMedia({ media: 'print' })
        expect(await onPaper(page, inside), `${paper} ${language}`).toEqual([])
        if (isFirst) await expect(sheet.getByText(copy)).toHaveCount(0)
        await page.emulateMedia({ media: null })
        const [first, ...more] = pagesOf(await page.pdf({ preferCSSPageSize: true }))
        expect(more, 'one page').toEqual([])
        expect(first?.width).toBe(width)
        if (paper === 'a5') expect(first?.height).toBe(210)
        else expect(first?.height).toBeLessThan(200)
      }

      // The next print is a copy too, after a reload and whatever the address says; one by the browser's menu as well.
      await page.goto(`${address}?original&lang=${language}`)
      await expect(sheet.getByText(`${copy} ${prints + 1}`, { exact: true })).toBeVisible()
      await page.emulateMedia({ media: 'print' })
      await expect(sheet.getByText(copy, { exact: true })).toBeVisible()
      await page.emulateMedia({ media: null })
    }
  })
}
