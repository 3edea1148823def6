import { Title } from '@mantine/core'
import type { ReactNode } from 'react'
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
