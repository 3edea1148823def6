import { Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import classes from './PageHeader.module.css'
import { useTitle } from '../lib/title'

type PageHeaderProps = {
  title: string
  /** Actions at the end of the line, at most one of them a filled button. */
  actions?: ReactNode
  /** Search box: beside the title if there is room, else below it. */
  children?: ReactNode
}

/** Heading of a screen, also the title of the browser's tab, with its main action. */
export function PageHeader({ title, actions, children }: PageHeaderProps) {
  useTitle(title)
  return (
    <div className={classes.header} data-below={children !== undefined || undefined}>
      <Title order={1} tabIndex={-1} className={classes.title} dir="auto">
        {title}
      </Title>
      {actions && <div className={classes.actions}>{actions}</div>}
      {children && <div className={classes.below}>{children}</div>}
    </div>
  )
}

type TabsProps<Name extends string> = {
  /** Accessible name of the group. */
  label: string
  names: readonly Name[]
  /** Name of the open tab. */
  open: Name
  textOf: (name: Name) => string
}

/** Tabs of a screen, as links: the address names the open one. */
export const Tabs = <Name extends string>({ label, names, open, textOf }: TabsProps<Name>) => (
  <nav aria-label={label} className={classes.tabs}>
    {names.map((name) => (
      <Link key={name} to={{ search: `tab=${name}` }} replace aria-current={name === open ? 'page' : undefined}>
        {textOf(name)}
      </Link>
    ))}
  </nav>
)
