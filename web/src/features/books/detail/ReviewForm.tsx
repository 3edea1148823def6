import { Alert, Button, Stack, Textarea, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useAction } from '../../../api/action'
import { t } from '../../../lib/messages'
import { forms } from '../../../api/contract'
import { messageOf, ProblemError } from '../../../lib/problem'
import { addReview } from '../../../api/reviews'
import type { ReviewForm as Values } from '../../../api/types'
import { check, labelOf, lengthOf } from '../../../api/validate'
import { focusFirstError } from '../../../lib/forms'
import { StarsInput } from '../../../ui/Stars'
import { reviewDraft } from './draft'

const EMPTY: Values = { rating: 0, comment: '' }
const { maxLength } = forms.ReviewForm.comment
/** From here on it is said how much room is left. */
const NEARLY_FULL = maxLength * 0.75

/** Stars and a comment (R-REV-1); what is typed survives a failure and a reload. */
export function ReviewForm({ bookId, uid }: { bookId: number; uid: number }) {
  const add = useAction(addReview(bookId), { done: () => t('books.reviews.added') })
  const form = useForm<Values>({
    mode: 'controlled',
    initialValues: reviewDraft.read(uid, bookId) ?? EMPTY,
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
    form.setValues(EMPTY)
    form.clearErrors()
    reviewDraft.remove(uid, bookId)
  }

  return (
    <form
      noValidate
      aria-labelledby="write-review"
      onSubmit={form.onSubmit((values) => void submit(values), focusFirstError)}
    >
      <Title order={3} id="write-review">
        {t('books.reviews.write')}
      </Title>
      <Stack mt="sm" align="flex-start">
        <div data-field="rating">
          <StarsInput
            label={t('books.reviews.rating')}
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
          description={length > NEARLY_FULL ? t('books.reviews.length', { length, max: maxLength }) : undefined}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          {...form.getInputProps('comment')}
          data-field="comment"
        />
        {add.error !== null && !fieldsAreWrong && (
          <Alert color="red" role="alert" w="100%">
            {t('books.reviews.failed', { reason: messageOf(add.error) })}
          </Alert>
        )}
        <Button type="submit" variant="default" loading={add.pending}>
          {t('books.reviews.submit')}
        </Button>
      </Stack>
    </form>
  )
}
