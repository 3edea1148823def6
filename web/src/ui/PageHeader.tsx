import { Title } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './PageHeader.module.css'
import { useTitle } from './title'

type PageHeaderProps = {
  title: string
  /** At the end of the line: at most one filled button. */
  actions?: ReactNode
  /** Under the title, e.g. the search box. */
  children?: ReactNode
}

/** The heading of a screen (which also names the browser's tab) with its main action. */
export function PageHeader({ title, actions, children }: PageHeaderProps) {
  useTitle(title)
  return (
    <div className={classes.header}>
      <div className={classes.line}>
        <Title order={1} tabIndex={-1} className={classes.title} dir="auto">
          {title}
        </Title>
        {actions}
      </div>
      {children}
    </div>
  )
}
