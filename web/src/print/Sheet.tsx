import { useRef, type CSSProperties, type ReactNode } from 'react'
import { roomOn, usePageSize, type PaperName } from './paper'
import classes from './Sheet.module.css'

type SheetProps = {
  paper: PaperName
  className?: string | undefined
  /** Accessible name; the sheet is then an article. */
  label?: string
  role?: 'status'
  children: ReactNode
}

/** Part of a screen or dialog that is printed, alone and in the size of its paper. */
export function Sheet({ paper, className = '', label, role, children }: SheetProps) {
  const element = useRef<HTMLElement>(null)
  usePageSize(paper, element)
  const { width, margin } = roomOn(paper)
  const Element = label === undefined ? 'div' : 'article'
  return (
    <Element
      ref={(shown: HTMLElement | null) => {
        element.current = shown
      }}
      data-print
      data-paper={paper}
      role={role}
      aria-label={label}
      className={`${classes.sheet} ${className}`}
      style={{ '--sheet-width': width, '--sheet-margin': margin } as CSSProperties}
    >
      {children}
    </Element>
  )
}
