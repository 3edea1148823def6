import { Alert, Button, Group, Stack, Textarea, Title } from '@mantine/core'
import { forms } from '../../../api/contract'
import { useContractForm } from '../../../api/form'
import { addReview } from '../../../api/reviews'
import type { Review, ReviewForm as Values } from '../../../api/types'
import { check, lengthOf } from '../../../api/validate'
import { t } from '../../../lib/messages'
import { messageOf } from '../../../lib/problem'
import { StarsInput } from '../../../ui/Stars'
import { reviewDraft } from './draft'

const EMPTY: Values = { rating: 0, comment: '' }
const { maxLength } = forms.ReviewForm.comment
/** Length of a comment from which the number of remaining characters is shown. */
const NEARLY_FULL = maxLength * 0.75

type ReviewFormProps = {
  bookId: number
  uid: number
  /** Review to edit; null for a new one. */
  review: Review | null
  onDone: () => void
}

const valuesOf = ({ rating, comment }: Review): Values => ({ rating, comment })

/** Form for stars and comment (R-REV-1); the input survives a failed request and a reload. */
export function ReviewForm({ bookId, uid, review, onDone }: ReviewFormProps) {
  const draft = reviewDraft(uid, bookId)
  const { form, field, onSubmit, pending, failure } = useContractForm('ReviewForm', {
    action: addReview(bookId),
    initial: review ? valuesOf(review) : EMPTY,
    draft,
    validate: {
      rating: (value) => (value === 0 ? t('books.reviews.chooseStars') : check('ReviewForm', 'rating', value)),
      comment: (value) => check('ReviewForm', 'comment', value),
    },
    done: () => t(review ? 'books.reviews.changed' : 'books.reviews.added'),
    onDone: finish,
  })
  const length = lengthOf(form.values.comment)

  function finish() {
    form.setValues(EMPTY)
    form.clearErrors()
    draft.remove()
    onDone()
  }

  return (
    <form noValidate aria-labelledby="write-review" onSubmit={onSubmit}>
      <Title order={3} id="write-review" tabIndex={-1} data-start>
        {review ? t('books.reviews.editTitle') : t('books.reviews.write')}
      </Title>
      <Stack mt="sm" align="flex-start">
        <div data-path="rating">
          <StarsInput
            label={t('books.reviews.yourRating')}
            value={form.values.rating}
            onChange={(rating) => form.setFieldValue('rating', rating)}
            error={typeof form.errors['rating'] === 'string' ? form.errors['rating'] : null}
          />
        </div>
        <Textarea
          {...field('comment')}
          w="100%"
          rows={4}
          resize="vertical"
          maxLength={2 * maxLength}
          description={length > NEARLY_FULL ? t('books.reviews.room', { length, max: maxLength }) : undefined}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
        />
        {failure !== null && (
          <Alert color="red" role="alert" w="100%">
            {t('books.reviews.failed')} {messageOf(failure)}
          </Alert>
        )}
        <Group gap="xs">
          <Button type="submit" variant="default" loading={pending}>
            {review ? t('books.reviews.save') : t('books.reviews.add')}
          </Button>
          {review && (
            <Button variant="subtle" onClick={finish}>
              {t('common.cancel')}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}
