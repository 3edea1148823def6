import { Alert, Button, Group } from '@mantine/core'
import { t } from '../lib/messages'

type DialogEndProps = {
  /** Failure of the last try, or null. */
  failure: string | null
  /** Label of the submit button. */
  submit: string
  /** Label of the button that changes nothing. */
  cancel?: string | undefined
  pending: boolean
  onCancel: () => void
  /** Red button, for an action that cannot easily be undone. */
  danger?: boolean
  /** True while the form cannot be submitted; the form says why. */
  disabled?: boolean
}

/** End of a form in a window: failure, cancel button and submit button. */
export function DialogEnd({
  failure,
  submit,
  cancel = t('common.cancel'),
  pending,
  onCancel,
  danger = false,
  disabled = false,
}: DialogEndProps) {
  return (
    <>
      {failure !== null && (
        <Alert color="red" role="alert">
          {failure}
        </Alert>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onCancel}>
          {cancel}
        </Button>
        <Button type="submit" loading={pending} disabled={disabled} {...(danger && { color: 'red' })}>
          {submit}
        </Button>
      </Group>
    </>
  )
}
