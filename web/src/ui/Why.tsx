import type { ReactNode } from 'react'
import { translateMessage, t } from '../lib/messages'
import classes from './Why.module.css'

type WhyProps = {
  /** Subject of the explanation, for screen readers. */
  of: string
  /** Called when the explanation is opened. */
  onOpen?: () => void
  children: ReactNode
}

/** Collapsible explanation of a number or a day (Law 6). */
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

/** Steps of a calculation, from the server. */
export function Reasons({ reasons }: ReasonsProps) {
  return (
    <ul>
      {reasons.map((reason, index) => (
        // The steps have no identity besides their position.
        // oxlint-disable-next-line react/no-array-index-key
        <li key={index} dir="auto">
          {translateMessage(reason)}
        </li>
      ))}
    </ul>
  )
}
