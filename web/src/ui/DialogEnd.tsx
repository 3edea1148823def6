import { Alert, Button, Group } from '@mantine/core'
import { t } from '../lib/messages'

type DialogEndProps = {
  /** Why it could not be done; null while nothing went wrong. */
  failure: string | null
  /** What the button says that does it. */
  submit: string
  pending: boolean
  onCancel: () => void
  /** Whether the button is red: what it does is not easily taken back. */
  danger?: boolean
}

/** The end of a form in a window: what went wrong, the way out, and the button that does it. */
export function DialogEnd({ failure, submit, pending, onCancel, danger = false }: DialogEndProps) {
  return (
    <>
      {failure !== null && (
        <Alert color="red" role="alert">
          {failure}
        </Alert>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onCancel}>
          {t('common.cancel')}
        </Button>
        <Button type="submit" loading={pending} {...(danger && { color: 'red' })}>
          {submit}
        </Button>
      </Group>
    </>
  )
}
