import { Button, Text } from '@mantine/core'
import { Link, useLocation } from 'react-router'
import { t } from '../../../lib/messages'
import { paths } from '../../../screens'

/** Leads a visitor to sign-in and back to this book for a review. */
export function SignInToReview() {
  const { pathname, search } = useLocation()
  return (
    <>
      <Text mb="sm">{t('books.reviews.signInWhy')}</Text>
      <Button component={Link} to={paths.login(pathname + search)} variant="default">
        {t('books.reviews.signIn')}
      </Button>
    </>
  )
}
