import { Button, Text } from '@mantine/core'
import { Link, useLocation } from 'react-router'
import { t } from '../../../lib/messages'
import { paths } from '../../../screens'

/** Link for visitors: sign-in, then back to this book to review it. */
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
