import { Button } from '@mantine/core'

type CsvLinkProps = {
  /** List of the API that is exported whole. */
  list: 'books' | 'holds'
  /** Text of the link. */
  children: string
}

/** Downloads a list as CSV. */
export function CsvLink({ list, children }: CsvLinkProps) {
  return (
    <Button component="a" variant="default" href={`/library/api/v1/${list}.csv`} download>
      {children}
    </Button>
  )
}
