import type { ReactNode } from 'react'
import { createPortal } from 'react-dom'
import type { PaperName } from './paper'
import { Sheet } from './Sheet'
import classes from './Sheet.module.css'
import { usePrinting } from './usePrinting'

type PrintNowProps = {
  paper: PaperName
  className?: string | undefined
  /** Called after the print or its cancellation, to remove the sheet. */
  onDone: () => void
  children: ReactNode
}

/** Prints a sheet that the screen does not show. */
export function PrintNow({ paper, className = '', onDone, children }: PrintNowProps) {
  usePrinting(onDone)
  return createPortal(
    <Sheet paper={paper} className={`${classes.behind} ${className}`}>
      {children}
    </Sheet>,
    document.body,
  )
}
