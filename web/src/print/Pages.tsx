import { useLayoutEffect, type CSSProperties, type ReactNode } from 'react'
import classes from './Pages.module.css'
// Its rules hide the rest of the screen on paper.
import './Sheet.module.css'

type PagesProps = {
  /** Size of the paper in millimetres. */
  width: number
  height: number
  children: ReactNode
}

/** Pages of an exact size without margins, printed alone. On the screen `--mm` is a millimetre of the preview. */
export function Pages({ width, height, children }: PagesProps) {
  useLayoutEffect(() => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(`@page { size: ${width}mm ${height}mm; margin: 0; }`)
    document.adoptedStyleSheets.push(sheet)
    return () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet)
    }
  }, [width, height])
  return (
    <div
      data-print
      className={classes.pages}
      style={{ '--page-width': width, '--page-height': height } as CSSProperties}
    >
      {children}
    </div>
  )
}

type PageProps = {
  /** Description of its picture for screen readers. */
  label: string
  /** Printed, but not in the preview. */
  hidden?: boolean
  children: ReactNode
}

/** A page of `Pages`, described as a picture to screen readers. */
export function Page({ label, hidden = false, children }: PageProps) {
  return (
    <div role="img" aria-label={label} className={classes.page} data-unseen={hidden || undefined}>
      {children}
    </div>
  )
}

/** Returns the style of a box at this place of the page, in millimetres. */
export const boxAt = (left: number, top: number, width: number, height: number): CSSProperties => ({
  position: 'absolute',
  left: mm(left),
  top: mm(top),
  width: mm(width),
  height: mm(height),
})

/** Returns a CSS length of millimetres on the page. */
export const mm = (length: number): string => `calc(var(--mm) * ${Math.round(length * 1000) / 1000})`
