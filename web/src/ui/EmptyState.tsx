import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './EmptyState.module.css'

/** Says that there is nothing and offers the one useful next step. */
export function EmptyState({ message, action }: { message: string; action?: ReactNode }) {
  return (
    <div className={classes.state}>
      <Text size="lg">{message}</Text>
      {action}
    </div>
  )
}
