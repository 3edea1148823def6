import { Button } from '@mantine/core'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import classes from './Clamped.module.css'

type ClampedProps = {
  lines: number
  /** Labels of the button that expands and collapses the text. */
  more: string
  less: string
  /** Wraps the clamped text in its element; the button is rendered after that element. */
  wrap: (words: ReactNode) => ReactNode
  children: ReactNode
}

/** A long text, clamped to `lines` lines until the reader expands it. */
export function Clamped({ lines, more, less, wrap, children }: ClampedProps) {
  const text = useRef<HTMLSpanElement>(null)
  const [all, setAll] = useState(false)
  const [isCut, setIsCut] = useState(false)

  useEffect(() => {
    const element = text.current
    if (!element || all) return
    // Letters of a fallback font may reach below their line; a hidden line is a whole line more.
    const slack = Number.parseFloat(getComputedStyle(element).lineHeight) / 2 || 1
    const watcher = new ResizeObserver(() => setIsCut(element.scrollHeight > element.clientHeight + slack))
    watcher.observe(element)
    return () => watcher.disconnect()
  }, [all])

  return (
    <>
      {wrap(
        <span
          ref={text}
          className={classes.text}
          data-clamped={!all || undefined}
          style={all ? undefined : { WebkitLineClamp: lines }}
        >
          {children}
        </span>,
      )}
      {isCut && (
        <Button
          variant="subtle"
          size="compact-sm"
          className={classes.toggle}
          aria-expanded={all}
          onClick={() => setAll(!all)}
        >
          {all ? less : more}
        </Button>
      )}
    </>
  )
}
