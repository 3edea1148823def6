import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { sessionQuery } from '../../../api/account'
import { idOf, paths } from '../../../lib/paths'
import { BookPage } from './BookPage'
import { Borrow } from './Borrow'
import { ReviewForm } from './ReviewForm'
import { SignInToReview } from './SignInToReview'

/** A book as students and visitors see it (R-DETAIL-2, R-DETAIL-4). */
export default function StudentBookDetailScreen() {
  const id = idOf(useParams()['id'])
  const user = useQuery(sessionQuery).data?.user ?? null
  return (
    <BookPage
      key={id}
      id={id}
      home={paths.studentHome()}
      action={(book) => <Borrow book={book} visitor={user === null} />}
      writeReview={id !== null && (user ? <ReviewForm bookId={id} uid={user.uid} /> : <SignInToReview />)}
    />
  )
}
