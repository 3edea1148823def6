import { useLayoutEffect, useState, type RefObject } from 'react'
import { storage } from '../lib/storage'

type Paper = {
  /** Width of the sheet with its margins, in millimetres; null fills the printer's paper. */
  width: number | null
  margin: number
  /** Whether pages are made in its size; a sheet of another kind stands on the printer's own paper. */
  height?: number | 'as long as its content'
}

/** What is printed on. */
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
/** CSS pixels in a millimetre. */
const PER_MM = 96 / 25.4

/** The paper that this desk prints receipts on; the browser remembers it. */
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

/** Width of what stands on a paper, and the margin around it where the page has none of its own, as lengths of CSS. */
export function roomOn(name: PaperName): { width: string; margin: string } {
  const { width, margin, height }: Paper = PAPERS[name]
  return {
    width: width === null ? 'auto' : `${width - 2 * margin}mm`,
    margin: height === undefined ? `${margin}mm` : '0',
  }
}

/** The rule for a page of this paper that holds so many pixels of height; null leaves the page to the printer. */
export function pageRule(name: PaperName, pixels: number): string | null {
  const { width, margin, height }: Paper = PAPERS[name]
  if (height === undefined) return null
  // One more, so that rounding never begins a second page.
  const long = typeof height === 'number' ? height : Math.ceil(pixels / PER_MM) + 2 * margin + 1
  return `@page { size: ${width}mm ${long}mm; margin: ${margin}mm; }`
}

/** Makes the browser print pages of this paper, each as long as the content of the element. */
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
