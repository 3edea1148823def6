import type { Page } from '@playwright/test'
import type { Copy } from '../../src/api/types'
import type { Person } from './library'
import { expect } from './test'

export const box = (page: Page) => page.getByRole('textbox', { name: 'Scan a card or a book' })
/** Answer to the newest scan. */
export const newest = (page: Page) => page.getByRole('article')
export const strip = (page: Page, name: string) => page.getByRole('region', { name: `Reader: ${name}` })

export async function openDesk(page: Page): Promise<void> {
  await page.goto('desk')
  await expect(box(page)).toBeFocused()
}

/** Types a code and Enter, wherever the focus is. */
export async function scan(page: Page, code: string): Promise<void> {
  await page.keyboard.type(`${code}\n`)
}

/** Returns the barcodes of a title. */
export async function barcodes(librarian: Person, book: number): Promise<string[]> {
  const { copies } = await librarian.ask<{ copies: Copy[] }>('GET', `/books/${book}/copies`)
  return copies.map(({ barcode }) => barcode)
}
