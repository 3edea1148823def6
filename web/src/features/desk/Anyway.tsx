import { Button, Checkbox, TextInput } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useOwner } from '../../api/draft'
import { showsKeys, useAltKey } from '../../lib/altKey'
import { t } from '../../lib/messages'
import classes from './Desk.module.css'
import { lastReasons, rememberReason, type Decision } from './reasons'

type AnywayProps = {
  label: string
  decision: Decision
  /** True if Alt and a digit choose a remembered reason. */
  keyed: boolean
  /** Reader for whom the copy is kept, if any: the reservation returns to the front of the queue, or is cancelled. */
  keptFor?: string | undefined
  onGiven: (reason: string, cancelHold: boolean) => void
  /** Closes the form, if a button opened it. */
  onClosed?: () => void
}

/** Form to override the rules with a reason (R-DESK-5). */
export function Anyway({ label, decision, keyed, keptFor, onGiven, onClosed }: AnywayProps) {
  const [reason, setReason] = useState('')
  const [cancelHold, setCancelHold] = useState(false)
  const first = useRef<HTMLInputElement>(null)
  const wasOpened = onClosed !== undefined
  const owner = useOwner()
  const [remembered] = useState(() => lastReasons(owner, decision))

  function give(given: string) {
    rememberReason(owner, decision, given)
    onGiven(given, cancelHold)
  }

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
      {remembered.length > 0 && (
        <div className={classes.reasons} role="group" aria-label={t('desk.screen.lastReasons')}>
          {remembered.map((one, index) => (
            <Reason key={one} reason={one} n={index + 1} keyed={keyed} onPress={() => give(one)} />
          ))}
        </div>
      )}
      <form
        className={classes.anyway}
        onSubmit={(event) => {
          event.preventDefault()
          if (reason.trim() !== '') give(reason.trim())
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

type ReasonProps = { reason: string; n: number; keyed: boolean; onPress: () => void }

/** A remembered reason, given with one press. */
function Reason({ reason, n, keyed, onPress }: ReasonProps) {
  const button = useRef<HTMLButtonElement>(null)
  useAltKey(`Digit${n}`, button, keyed)
  return (
    <Button
      ref={button}
      variant="default"
      radius="xl"
      size="compact-sm"
      h={34}
      aria-keyshortcuts={keyed ? `Alt+${n}` : undefined}
      onClick={onPress}
    >
      {keyed && showsKeys() && <kbd className={classes.key}>{t('desk.screen.key', { n })}</kbd>}
      <span className={classes.reason} dir="auto">
        {reason}
      </span>
    </Button>
  )
}
