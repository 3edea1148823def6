import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import type { Copy } from '../src/api/types'
import { CARD_SHEET, PRESETS, slotAt } from '../src/features/labels/sheets'
import { expectDone, question, row } from './support/screens'
import { expect, present, test } from './support/test'

test.use({ as: 'librarian' })

/** Prints the page, draws it as a printer does, and hands the pictures over in order. */
async function printed<Result>(page: Page, dots: number, look: (picture: string) => Result): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'labels-'))
  try {
    const file = join(folder, 'labels.pdf')
    writeFileSync(file, await page.pdf({ preferCSSPageSize: true, printBackground: false }))
    execFileSync('pdftoppm', ['-gray', '-r', String(dots), file, join(folder, 'page')])
    return readdirSync(folder)
      .filter((name) => name.endsWith('.pgm'))
      .toSorted()
      .map((name) => look(join(folder, name)))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Reads all codes of a picture; the reader fails on a picture without one. */
const read = (kind: 'code128' | 'qrcode') => (picture: string) =>
  spawnSync('zbarimg', ['--quiet', '--raw', '-S*.disable', `-S${kind}.enable`, picture])
    .stdout.toString()
    .split('\n')
    .filter(Boolean)
    .toSorted()

/** Reads the codes of a page of cards one card at a time, as a camera sees them: beside others zbar misses some. */
function readEach(picture: string): string[] {
  const bytes = readFileSync(picture)
  const { start, width } = headerOf(bytes)
  const dot = 25.4 / 300
  return Array.from({ length: 10 }, (_, index) => slotAt(CARD_SHEET, index))
    .flatMap((card, index) => {
      const [x, y, wide, high] = [card.left, card.top, card.width, card.height].map((length) =>
        Math.round(length / dot),
      )
      const rows = Array.from({ length: high ?? 0 }, (_, line) => {
        const from = start + ((y ?? 0) + line) * width + (x ?? 0)
        return bytes.subarray(from, from + (wide ?? 0))
      })
      const file = `${picture}.${index}.card`
      writeFileSync(file, Buffer.concat([Buffer.from(`P5\n${wide} ${high}\n255\n`), ...rows]))
      return read('qrcode')(file)
    })
    .toSorted()
}

/** Returns where the points of a picture begin, and its width. */
function headerOf(bytes: Buffer): { start: number; width: number } {
  const [header = '', width = '0'] = /^P5\s(\d+)\s\d+\s\d+\s/.exec(bytes.subarray(0, 64).toString('latin1')) ?? []
  return { start: header.length, width: Number(width) }
}

/** A picture in shades of grey. */
function pixelsOf(picture: string): { dark: (x: number, y: number) => boolean } {
  const bytes = readFileSync(picture)
  const { start, width } = headerOf(bytes)
  return { dark: (x, y) => (bytes[start + y * width + x] ?? 255) < 128 }
}

/** Returns the largest distance, in millimetres, between the outlines on a picture and where the labels are. */
function errorOf(picture: string, sheet: (typeof PRESETS)[number], count: number): number {
  const { dark } = pixelsOf(picture)
  const dot = 25.4 / 300
  const at = (length: number) => Math.round(length / dot)
  const nearest = (edge: number, isDark: (pixel: number) => boolean): number => {
    const found = Array.from({ length: at(3) }, (_, index) => at(edge - 1.5) + index).filter(
      (pixel) => pixel >= 0 && isDark(pixel),
    )
    const distances = found.map((pixel) => Math.abs((pixel + 0.5) * dot - edge))
    return distances.length === 0 ? Infinity : Math.min(...distances)
  }
  return Math.max(
    ...Array.from({ length: count }, (_, index) => {
      const { left, top, width, height } = slotAt(sheet, index)
      const [across, down] = [at(top + 0.7), at(left + 0.3)]
      return Math.max(
        nearest(left, (x) => dark(x, across)),
        nearest(left + width, (x) => dark(x, across)),
        nearest(top, (y) => dark(down, y)),
        nearest(top + height, (y) => dark(down, y)),
      )
    }),
  )
}

test('R-COPY-3 every barcode of a sheet is read back from paper, from the label where a used sheet goes on', async ({
  page,
  library,
  who,
}) => {
  test.slow()
  const book = await library.addBook({ title: 'गोदान: भारतीय किसान के जीवन का महाकाव्य और उसकी गाय', noOfBooks: 30 })
  const { copies } = await present(who).ask<{ copies: Copy[] }>('GET', `/books/${book.id}/copies?limit=100`)
  const numbers = copies.map(({ barcode }) => barcode).toSorted()

  await page.goto(`book-detail/${book.id}`)
  await page.getByRole('link', { name: 'Print labels' }).click()
  await page.getByLabel('Begin at label').fill('7')
  await expect(page.getByText('30 labels on 2 pages')).toBeVisible()
  for (const dots of [203, 300]) {
    // oxlint-disable-next-line no-await-in-loop
    const pages = await printed(page, dots, read('code128'))
    expect(
      pages.map((one) => one.length),
      `${dots} dots per inch`,
    ).toEqual([18, 12])
    expect(pages.flat().toSorted()).toEqual(numbers)
  }

  // The smallest label, a roll, and a spine beside the bars.
  for (const [sheet, pages] of [
    ['a4-65', 1],
    ['roll-50', 30],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop
    await page.getByLabel('Sheet').selectOption(sheet)
    for (const face of ['title', 'spine']) {
      // oxlint-disable-next-line no-await-in-loop
      await page.getByLabel('Label shows').selectOption(face)
      // oxlint-disable-next-line no-await-in-loop
      const found = await printed(page, 203, read('code128'))
      expect(found.length, sheet).toBe(pages)
      expect(found.flat().toSorted(), `${sheet}, ${face}`).toEqual(numbers)
    }
  }
  await page.getByLabel('Code', { exact: true }).selectOption('qr')
  expect((await printed(page, 203, read('qrcode'))).flat().toSorted()).toEqual(numbers)
})

test('R-COPY-3 labels are at most half a millimetre from where the sheet has them', async ({ page, library }) => {
  const book = await library.addBook({ title: 'Nirmala', noOfBooks: 65 })
  await page.goto(`labels?book=${book.id}`)
  await page.getByLabel('Outlines').check()
  for (const sheet of PRESETS) {
    // oxlint-disable-next-line no-await-in-loop
    await page.getByLabel('Sheet').selectOption(sheet.key)
    // oxlint-disable-next-line no-await-in-loop
    const [first] = await printed(page, 300, (picture) => errorOf(picture, sheet, sheet.columns * sheet.rows))
    expect(first, sheet.key).toBeLessThan(0.5)
  }
})

test('R-COPY-3 a printed batch is remembered, counts as labelled, and is printed again', async ({
  page,
  library,
  who,
  watch,
}) => {
  watch.excuse(/422/)
  const book = await library.addBook({ title: 'Sevasadan', noOfBooks: 3 })
  const { copies } = await present(who).ask<{ copies: Copy[] }>('GET', `/books/${book.id}/copies`)
  const [first = '', , last = ''] = copies.map(({ barcode }) => barcode)

  await page.goto('labels')
  await page.getByLabel('Copies').selectOption('A range of barcodes')
  await page.getByLabel('First barcode').fill(last)
  await page.getByLabel('Last barcode').fill(first)
  await page.getByRole('button', { name: 'Show labels' }).click()
  await expect(page.getByText('The last barcode must not be before the first.')).toBeVisible()
  await expect(page.getByLabel('Last barcode')).toBeFocused()
  await expect(page.getByLabel('First barcode')).toHaveValue(last)
  await page.getByLabel('First barcode').fill(first)
  await page.getByLabel('Last barcode').fill(last)
  await page.getByRole('button', { name: 'Show labels' }).click()
  const print = page.getByRole('button', { name: 'Print 3 labels' })
  await expect(print).toBeVisible()
  // What is typed next is another choice: nothing of the earlier one can be printed.
  await page.getByLabel('Last barcode').fill(first)
  await expect(print).toHaveCount(0)
  await page.getByLabel('Last barcode').fill(last)
  await page.getByRole('button', { name: 'Show labels' }).click()
  await print.dblclick()
  await question(page).getByRole('button', { name: 'Yes, record them' }).dblclick()
  await expectDone(page, '3 labels recorded.')
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY')
  // The next sheet begins where this one ends.
  await expect(page.getByLabel('Begin at label')).toHaveValue('4')

  await page.getByRole('link', { name: 'Printed batches' }).click()
  await expect(row(page, `${first} to ${last}`)).toHaveCount(1)
  await page.getByRole('link', { name: `Print again: ${first} to ${last}` }).click()
  await expect(page.getByText('3 labels on 1 page')).toBeVisible()
})

test('R-COPY-3 a measured sheet is refused at its field, saved, chosen and deleted', async ({
  page,
  library,
  watch,
}) => {
  watch.excuse(/422/)
  const book = await library.addBook({ noOfBooks: 2 })
  await page.goto('labels?tab=sheets')
  await page.getByRole('button', { name: 'Measure a sheet' }).click()
  const form = question(page)
  await form.getByLabel('Name').fill('Oddy 24')
  await form.getByLabel('Top edge of the paper to the last label (mm)').fill('280')
  await form.getByRole('button', { name: 'Save sheet' }).click()
  await expect(form.getByText('the last label would not be on the paper')).toBeVisible()
  await expect(form.getByLabel('Name')).toHaveValue('Oddy 24')
  await form.getByLabel('Top edge of the paper to the last label (mm)').fill('251.3')
  await form.getByRole('button', { name: 'Save sheet' }).dblclick()
  await expectDone(page, 'Sheet “Oddy 24” saved.')
  await expect(row(page, 'Oddy 24')).toHaveCount(1)

  await page.goto(`labels?book=${book.id}`)
  await page.getByLabel('Sheet').selectOption('Oddy 24')
  await expect(page.getByRole('img', { name: 'Page 1 of 1, Oddy 24' })).toBeVisible()

  await page.goto('labels?tab=sheets')
  await page.getByRole('button', { name: 'Delete Oddy 24' }).click()
  await question(page).getByRole('button', { name: 'Delete' }).click()
  await expectDone(page, 'Sheet deleted.')
})

test('R-COPY-3 the lengths measured on the test page move the labels, and forgetting them moves them back', async ({
  page,
  library,
}) => {
  const book = await library.addBook({ noOfBooks: 1 })
  const slot = page.locator('[data-slot="0"]')
  const left = () => slot.evaluate((element) => element.style.left)
  await page.goto(`labels?book=${book.id}`)
  const before = await left()
  await page.goto('labels?tab=sheets')
  await page.getByLabel('Left edge of the paper to the frame (mm)').fill('22')
  await page.getByRole('button', { name: 'Save for this printer' }).click()
  await expectDone(page, 'Saved for this printer.')
  await page.goto(`labels?book=${book.id}`)
  await expect(slot).toBeVisible()
  // Read once: the place follows from what is stored, not from a request.
  expect([before, await left()]).toEqual(['calc(var(--mm) * 7)', 'calc(var(--mm) * 5)'])
  await page.goto('labels?tab=sheets')
  await page.getByRole('button', { name: 'Remove the correction' }).click()
  await page.goto(`labels?book=${book.id}`)
  await expect(slot).toBeVisible()
  // Read once: as above.
  expect(await left()).toBe(before)
})

test('R-PEOPLE-2 the cards of a class are printed ten on a page, each back behind its front', async ({
  page,
  library,
}) => {
  const batch = '2028'
  const students = []
  for (let n = 0; n < 11; n += 1) {
    // One after the other: the server makes a few accounts at once.
    // oxlint-disable-next-line no-await-in-loop
    students.push(await library.student({ name: `Card Holder ${n}`, department: 'Cards', batch }))
  }
  const numbers = students.map(({ user }) => user.rollNumber ?? '').toSorted()
  await page.goto('people?q=Card Holder')
  await page.getByRole('main').getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Print 11 cards' }).click()
  await expect(question(page).getByText('11 cards, ten on a page: 2 pages.')).toBeVisible()

  const fronts = await printed(page, 203, read('code128'))
  expect(fronts.map((one) => one.length)).toEqual([10, 0, 1, 0])
  expect(fronts.flat().toSorted()).toEqual(numbers)
  const backs = await printed(page, 300, readEach)
  expect(backs.map((one) => one.length)).toEqual([0, 10, 0, 1])
  expect(backs.flat().toSorted()).toEqual(numbers)
  await question(page).getByLabel('Print the backs too').uncheck()
  expect((await printed(page, 203, read('code128'))).length).toBe(2)
})
