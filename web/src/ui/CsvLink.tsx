import { Button } from '@mantine/core'

type CsvLinkProps = {
  /** List that the API exports completely. */
  list: 'books' | 'holds'
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
