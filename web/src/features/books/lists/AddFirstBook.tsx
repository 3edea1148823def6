import { Button } from '@mantine/core'
import { Link } from 'react-router'
import { paths } from '../../../lib/paths'
import { EmptyState } from '../../../ui/EmptyState'

/** Stands where the list would be while the catalogue is empty. */
export function AddFirstBook() {
  return (
    <EmptyState
      message="No books available. Please add some books!"
      action={
        <Button component={Link} to={paths.addBook()}>
          Add New Book
        </Button>
      }
    />
  )
}
