import { Button, Checkbox, TextInput } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { t } from '../../lib/messages'
import classes from './Desk.module.css'

type AnywayProps = {
  label: string
  /** Reader for whom the copy is kept, if any: first in the queue again, or the reservation is cancelled. */
  keptFor?: string | undefined
  onGiven: (reason: string, cancelHold: boolean) => void
  /** Closes the form, if a button opened it. */
  onClosed?: () => void
}

/** Form to override the rules with a reason (R-DESK-5). */
export function Anyway({ label, keptFor, onGiven, onClosed }: AnywayProps) {
  const [reason, setReason] = useState('')
  const [cancelHold, setCancelHold] = useState(false)
  const first = useRef<HTMLInputElement>(null)
  const wasOpened = onClosed !== undefined

  useEffect(() => {
    if (wasOpened) first.current?.focus()
  }, [wasOpened])

  return (
    <div
      role="presentation"
      onKeyDown={({ key }) => {
        if (key === 'Escape') onClosed?.()
      }}
    >
      <form
        className={classes.anyway}
        onSubmit={(event) => {
          event.preventDefault()
          if (reason.trim() !== '') onGiven(reason.trim(), cancelHold)
        }}
      >
        <TextInput
          ref={first}
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
        {onClosed && (
          <Button variant="subtle" onClick={onClosed}>
            {t('common.cancel')}
          </Button>
        )}
      </form>
    </div>
  )
}
