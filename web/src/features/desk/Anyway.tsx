import { Button, Checkbox, TextInput } from '@mantine/core'
import { useState } from 'react'
import { t } from '../../lib/messages'
import classes from './Desk.module.css'

type AnywayProps = {
  label: string
  /** For whom the copy is kept: this person is first in line again, or the reservation is cancelled. */
  keptFor?: string | undefined
  onGiven: (reason: string, cancelHold: boolean) => void
}

/** Against the rules, with a reason (R-DESK-5). */
export function Anyway({ label, keptFor, onGiven }: AnywayProps) {
  const [reason, setReason] = useState('')
  const [cancelHold, setCancelHold] = useState(false)
  return (
    <form
      className={classes.anyway}
      onSubmit={(event) => {
        event.preventDefault()
        if (reason.trim() !== '') onGiven(reason.trim(), cancelHold)
      }}
    >
      <TextInput
        label={t('desk.screen.reason')}
        description={t('desk.screen.reasonHint')}
        maxLength={500}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      {keptFor !== undefined && (
        <Checkbox
          label={t('desk.screen.cancelHold', { name: keptFor })}
          description={t('desk.screen.cancelHoldHint')}
          checked={cancelHold}
          onChange={(event) => setCancelHold(event.currentTarget.checked)}
        />
      )}
      <Button type="submit" variant="default" disabled={reason.trim() === ''}>
        {label}
      </Button>
    </form>
  )
}
