import { useLayoutEffect, useState, type RefObject } from 'react'
import { storage } from '../../lib/storage'

/** What a receipt is printed on: rolls of 58 and 80 mm, and A5 (R-DESK-7). */
export const PAPERS = ['58mm', '80mm', 'a5'] as const
export type PaperName = (typeof PAPERS)[number]

/** Millimetres. A roll is as long as what stands on it. */
const SIZES: Record<PaperName, { width: number; height: number | null; margin: number }> = {
  '58mm': { width: 58, height: null, margin: 4 },
  '80mm': { width: 80, height: null, margin: 4 },
  a5: { width: 148, height: 210, margin: 12 },
}

const CHOSEN = 'receiptPaper'
/** CSS pixels in a millimetre. */
const PER_MM = 96 / 25.4

/** The paper that this desk prints on; the browser remembers it. */
export function usePaper() {
  const [paper, setPaper] = useState<PaperName>(() => PAPERS.find((one) => one === storage.read(CHOSEN)) ?? '80mm')
  const choose = (next: PaperName) => {
    storage.write(CHOSEN, next)
    setPaper(next)
  }
  return [paper, choose] as const
}

/** The rule for a page of this paper that holds so many pixels of height. */
export function pageRule(paper: PaperName, pixels: number): string {
  const { width, height, margin } = SIZES[paper]
  // One more, so that rounding never begins a second page.
  const long = height ?? Math.ceil(pixels / PER_MM) + 2 * margin + 1
  return `@page { size: ${width}mm ${long}mm; margin: ${margin}mm; }`
}

/** Makes the browser print pages of this paper, each as long as what the element holds. */
export function usePageSize(paper: PaperName, element: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const article = element.current
    if (!article) return
    const sheet = new CSSStyleSheet()
    document.adoptedStyleSheets.push(sheet)
    const measure = () => {
      const { paddingTop, paddingBottom } = getComputedStyle(article)
      const padding = Number.parseFloat(paddingTop) + Number.parseFloat(paddingBottom)
      sheet.replaceSync(pageRule(paper, article.clientHeight - padding))
    }
    const observer = new ResizeObserver(measure)
    observer.observe(article)
    measure()
    return () => {
      observer.disconnect()
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet)
    }
  }, [paper, element])
}
