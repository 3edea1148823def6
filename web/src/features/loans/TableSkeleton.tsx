import { Skeleton } from '@mantine/core'
import classes from './TableSkeleton.module.css'

/** Lines where rows will be. */
export function TableSkeleton({ rows }: { rows: number }) {
  return (
    <div aria-hidden="true">
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} className={classes.row}>
          <Skeleton height={16} width="18%" />
          <Skeleton height={16} width="34%" />
          <Skeleton height={16} width="12%" />
          <Skeleton height={16} width="20%" />
        </div>
      ))}
    </div>
  )
}
