import { Alert, Button, Group, Stack, Textarea, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useAction } from '../../../api/action'
import { forms } from '../../../api/contract'
import { addReview } from '../../../api/reviews'
import type { Review, ReviewForm as Values } from '../../../api/types'
import { check, labelOf, lengthOf } from '../../../api/validate'
import { t } from '../../../lib/messages'
import { messageOf, ProblemError } from '../../../lib/problem'
import { focusFirstError } from '../../../lib/forms'
import { StarsInput } from '../../../ui/Stars'
import { reviewDraft } from './draft'

const EMPTY: Values = { rating: 0, comment: '' }
const { maxLength } = forms.ReviewForm.comment
/** From here on it is said how much room is left. */
const NEARLY_FULL = maxLength * 0.75

type ReviewFormProps = {
  bookId: number
  uid: number
  /** What is to be changed; null for a new one. */
  review: Review | null
  onDone: () => void
}

const valuesOf = ({ rating, comment }: Review): Values => ({ rating, comment })

/** Stars and a comment (R-REV-1); what is typed survives a failure and a reload. */
export function ReviewForm({ bookId, uid, review, onDone }: ReviewFormProps) {
  const add = useAction(addReview(bookId), {
    done: () => t(review ? 'books.reviews.changed' : 'books.reviews.added'),
  })
  const form = useForm<Values>({
    mode: 'controlled',
    initialValues: reviewDraft.read(uid, bookId) ?? (review ? valuesOf(review) : EMPTY),
    validate: {
      rating: (value) => (value === 0 ? t('books.reviews.chooseStars') : check('ReviewForm', 'rating', value)),
      comment: (value) => check('ReviewForm', 'comment', value),
    },
    onValuesChange: (values) => reviewDraft.write(uid, bookId, values),
  })
  const length = lengthOf(form.values.comment)
  const fieldsAreWrong = add.error instanceof ProblemError && Object.keys(add.error.fields).length > 0

  async function submit(values: Values) {
    const outcome = await add.run({ rating: values.rating, comment: values.comment.trim() })
    if (!outcome.ok) {
      if (outcome.error instanceof ProblemError) {
        form.setErrors(outcome.error.fields)
        focusFirstError(outcome.error.fields)
      }
      return
    }
    finish()
  }

  function finish() {
    form.setValues(EMPTY)
    form.clearErrors()
    reviewDraft.remove(uid, bookId)
    onDone()
  }

  return (
    <form
      noValidate
      aria-labelledby="write-review"
      onSubmit={form.onSubmit((values) => void submit(values), focusFirstError)}
    >
      <Title order={3} id="write-review" tabIndex={-1} data-start>
        {review ? t('books.reviews.editTitle') : t('books.reviews.write')}
      </Title>
      <Stack mt="sm" align="flex-start">
        <div data-field="rating">
          <StarsInput
            label={t('books.reviews.yourRating')}
            value={form.values.rating}
            onChange={(rating) => form.setFieldValue('rating', rating)}
            error={typeof form.errors['rating'] === 'string' ? form.errors['rating'] : null}
          />
        </div>
        <Textarea
          label={labelOf('ReviewForm', 'comment')}
          w="100%"
          rows={4}
          required
          withAsterisk={false}
          resize="vertical"
          maxLength={2 * maxLength}
          description={length > NEARLY_FULL ? t('books.reviews.room', { length, max: maxLength }) : undefined}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          {...form.getInputProps('comment')}
          data-field="comment"
        />
        {add.error !== null && !fieldsAreWrong && (
          <Alert color="red" role="alert" w="100%">
            {t('books.reviews.failed')} {messageOf(add.error)}
          </Alert>
        )}
        <Group gap="xs">
          <Button type="submit" variant="default" loading={add.pending}>
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
