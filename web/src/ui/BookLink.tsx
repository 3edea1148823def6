import { Anchor } from '@mantine/core'
import { Link } from 'react-router'
import { paths } from '../screens'

/** Title of a book in a list, linked to the librarian's page of the book. */
export function BookLink({ id, title }: { id: number; title: string }) {
  return (
    <Anchor component={Link} to={paths.bookDetail(id)} underline="hover" c="inherit" fz="inherit" dir="auto">
      {title}
    </Anchor>
  )
}
