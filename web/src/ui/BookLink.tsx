import { Anchor } from '@mantine/core'
import { Link } from 'react-router'
import { paths } from '../screens'

/** The title of a book in a list, which leads a librarian to its page. */
export function BookLink({ id, title }: { id: number; title: string }) {
  return (
    <Anchor component={Link} to={paths.bookDetail(id)} underline="hover" c="inherit" fz="inherit" dir="auto">
      {title}
    </Anchor>
  )
}
