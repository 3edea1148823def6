import { Button, Checkbox, TextInput } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { t } from '../../lib/messages'
import classes from './Desk.module.css'

type AnywayProps = {
  label: string
  /** For whom the copy is kept: this person is first in line again, or the reservation is cancelled. */
  keptFor?: string | undefined
  onGiven: (reason: string, cancelHold: boolean) => void
  /** The way back, where the form was opened by a button. */
  onClosed?: () => void
}

/** Against the rules, with a reason (R-DESK-5). */
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
