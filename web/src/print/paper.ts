import { useLayoutEffect, useState, type RefObject } from 'react'
import { storage } from '../lib/storage'

type Paper = {
  /** Width of the sheet with its margins, in millimetres; null fills the printer's paper. */
  width: number | null
  margin: number
  /** Height, if pages have this size; other sheets are printed on the printer's own paper. */
  height?: number | 'as long as its content'
}

const PAPERS = {
  '58mm': { width: 58, margin: 4, height: 'as long as its content' },
  '80mm': { width: 80, margin: 4, height: 'as long as its content' },
  a5: { width: 148, margin: 12, height: 210 },
  card: { width: 115, margin: 10 },
  slip: { width: 72, margin: 0 },
  page: { width: null, margin: 0 },
} as const satisfies Record<string, Paper>

export type PaperName = keyof typeof PAPERS

/** Papers of a receipt: rolls of 58 and 80 mm, and A5 (R-DESK-7). */
export const RECEIPT_PAPERS = ['58mm', '80mm', 'a5'] as const satisfies readonly PaperName[]
type ReceiptPaper = (typeof RECEIPT_PAPERS)[number]

const CHOSEN = 'receiptPaper'
/** CSS pixels per millimetre. */
const PER_MM = 96 / 25.4

/** Paper for receipts at this desk, stored in the browser. */
export function useReceiptPaper() {
  const [paper, setPaper] = useState<ReceiptPaper>(
    () => RECEIPT_PAPERS.find((one) => one === storage.read(CHOSEN)) ?? '80mm',
  )
  const choose = (next: ReceiptPaper) => {
    storage.write(CHOSEN, next)
    setPaper(next)
  }
  return [paper, choose] as const
}

/** Returns the width of a paper's content, and its margin if the page has none, as CSS lengths. */
export function roomOn(name: PaperName): { width: string; margin: string } {
  const { width, margin, height }: Paper = PAPERS[name]
  return {
    width: width === null ? 'auto' : `${width - 2 * margin}mm`,
    margin: height === undefined ? `${margin}mm` : '0',
  }
}

/** Returns the `@page` rule for a page of this height in pixels; null leaves the page to the printer. */
export function pageRule(name: PaperName, pixels: number): string | null {
  const { width, margin, height }: Paper = PAPERS[name]
  if (height === undefined) return null
  // One millimetre more, so that rounding never adds a page.
  const long = typeof height === 'number' ? height : Math.ceil(pixels / PER_MM) + 2 * margin + 1
  return `@page { size: ${width}mm ${long}mm; margin: ${margin}mm; }`
}

/** Sets the page size to this paper, as long as the element's content. */
export function usePageSize(paper: PaperName, element: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const content = element.current
    if (!content || pageRule(paper, 0) === null) return undefined
    const sheet = new CSSStyleSheet()
    document.adoptedStyleSheets.push(sheet)
    const measure = () => {
      const { paddingTop, paddingBottom } = getComputedStyle(content)
      const padding = Number.parseFloat(paddingTop) + Number.parseFloat(paddingBottom)
      sheet.replaceSync(pageRule(paper, content.clientHeight - padding) ?? '')
    }
    const observer = new ResizeObserver(measure)
    observer.observe(content)
    measure()
    return () => {
      observer.disconnect()
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet)
    }
  }, [paper, element])
}
