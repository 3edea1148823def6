import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './EmptyState.module.css'

/** Says that a list is empty and offers the next useful step. */
export function EmptyState({ message, action }: { message: string; action?: ReactNode }) {
  return (
    <div className={classes.state}>
      <Text size="lg">{message}</Text>
      {action}
    </div>
  )
}
