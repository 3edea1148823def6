import { Button, Text } from '@mantine/core'
import { Link, useLocation } from 'react-router'
import { paths } from '../../../lib/paths'

/** A visitor writes a review after signing in, and comes back to this book for it. */
export function SignInToReview() {
  const { pathname, search } = useLocation()
  return (
    <>
      <Text mb="sm">Have you read this book?</Text>
      <Button component={Link} to={paths.login(pathname + search)} variant="default">
        Sign in to review
      </Button>
    </>
  )
}
