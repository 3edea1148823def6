import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { sessionQuery } from '../../../api/account'
import { idOf } from '../../../lib/paths'
import { paths } from '../../../screens'
import { BookPage } from './BookPage'
import { Borrow } from './Borrow'
import { OwnReview } from './OwnReview'
import { SignInToReview } from './SignInToReview'

/** The students' and visitors' page of a book (R-DETAIL-2, R-DETAIL-4). */
export default function StudentBookDetailScreen() {
  const id = idOf(useParams()['id'])
  const user = useQuery(sessionQuery).data?.user ?? null
  return (
    <BookPage
      key={id}
      id={id}
      // The home of visitors is the public one.
      home={user ? paths.studentHome() : paths.newHome()}
      linkTo={paths.studentBookDetail}
      search={user && paths.studentHome()}
      action={(book) => <Borrow book={book} user={user} />}
      ownReview={(review) => user && id !== null && <OwnReview bookId={id} uid={user.uid} review={review} />}
      writeReview={user === null && <SignInToReview />}
    />
  )
}
