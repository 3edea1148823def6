import type { ReactNode } from 'react'
import { translateMessage, t } from '../lib/messages'
import classes from './Why.module.css'

type WhyProps = {
  /** What is explained, for screen readers. */
  of: string
  /** When it is opened. */
  onOpen?: () => void
  children: ReactNode
}

/** Folded away: how a number or a day came about (Law 6). */
export function Why({ of, onOpen, children }: WhyProps) {
  const why = t('list.why')
  return (
    <details className={classes.why} onToggle={({ currentTarget: { open } }) => open && onOpen?.()}>
      <summary aria-label={`${why} ${of}`}>{why}</summary>
      {children}
    </details>
  )
}

type ReasonsProps = { reasons: readonly { code: string; params: Readonly<Record<string, unknown>>; text: string }[] }

/** The steps, as the server tells them. */
export function Reasons({ reasons }: ReasonsProps) {
  return (
    <ul>
      {reasons.map((reason, index) => (
        // The steps have no identity beside their place.
        // oxlint-disable-next-line react/no-array-index-key
        <li key={index} dir="auto">
          {translateMessage(reason)}
        </li>
      ))}
    </ul>
  )
}
