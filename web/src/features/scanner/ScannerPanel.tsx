import { Button, Text, TextInput } from '@mantine/core'
import { useEffect, useRef, useState, type SyntheticEvent } from 'react'
import { useIdCardLookup } from '../../api/account'
import { ProblemError } from '../../api/problem'
import classes from './ScannerPanel.module.css'
import { lookupMessage } from './lookupMessage'

/**
 * Finds the email of an ID card. A USB scanner types the code and Enter into the field, which has the focus as soon as the
 * panel opens; a person can type it as well.
 */
export function ScannerPanel({ onEmail }: { onEmail: (email: string) => void }) {
  const [code, setCode] = useState('')
  const lookup = useIdCardLookup()
  const field = useRef<HTMLInputElement>(null)
  const message = lookup.isError ? lookupMessage(lookup.error) : null

  useEffect(() => field.current?.focus(), [])

  async function find(event: SyntheticEvent) {
    // The panel sits inside the sign-in form: Enter must look the card up, not sign in.
    event.preventDefault()
    event.stopPropagation()
    if (code.trim() === '' || lookup.isPending) return
    try {
      const { email } = await lookup.mutateAsync(code)
      onEmail(email)
    } catch (error) {
      if (!(error instanceof ProblemError)) console.error(error)
      // The next scan replaces this one.
      field.current?.select()
    }
  }

  return (
    <section className={classes.panel} aria-label="ID card scanner">
      <Text size="sm" c="dimmed" role="status">
        {lookup.isPending ? 'Looking the card up…' : 'Scan the card with a hand scanner, or type its roll number.'}
      </Text>
      <div className={classes.line}>
        <TextInput
          ref={field}
          aria-label="Roll number"
          placeholder="Roll number"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          className={classes.field}
          value={code}
          error={message !== null}
          aria-describedby={message === null ? undefined : 'scanner-message'}
          onChange={(event) => setCode(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') void find(event)
          }}
        />
        <Button variant="default" size="md" loading={lookup.isPending} onClick={(event) => void find(event)}>
          Find
        </Button>
      </div>
      {message !== null && (
        <Text id="scanner-message" size="sm" c="var(--mantine-color-error)" role="alert">
          {message}
        </Text>
      )}
    </section>
  )
}
