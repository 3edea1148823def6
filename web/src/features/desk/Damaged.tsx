import { Button, TextInput } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import type { Copy } from '../../api/types'
import { amountOf, typedAmount } from '../../lib/amount'
import { t } from '../../lib/messages'
import { AmountInput, amountProblem } from '../../ui/AmountInput'
import classes from './Desk.module.css'
import type { Request } from '../../counter/tasks'

type DamagedProps = { copy: Copy; onGiven: (damaged: NonNullable<Request['damaged']>) => void }

/** Form for a copy returned damaged: sends it to repair, and optionally charges its reader (R-DESK-11). */
export function Damaged({ copy, onGiven }: DamagedProps) {
  const [opened, setOpened] = useState(false)
  const first = useRef<HTMLInputElement>(null)
  const [note, setNote] = useState('')
  const [charge, setCharge] = useState(copy.price === null ? '' : typedAmount(copy.price))
  const [wrong, setWrong] = useState<string | null>(null)
  const price = useRef<HTMLInputElement>(null)

  useEffect(() => {
    if (opened) first.current?.focus()
  }, [opened])

  if (!opened) {
    return (
      <Button variant="default" onClick={() => setOpened(true)}>
        {t('desk.screen.damaged')}
      </Button>
    )
  }
  return (
    <div
      role="presentation"
      className={classes.wholeLine}
      onKeyDown={({ key }) => {
        if (key === 'Escape') setOpened(false)
      }}
    >
      <form
        className={classes.fine}
        onSubmit={(event) => {
          event.preventDefault()
          if (note.trim() === '') return
          const problem = charge.trim() === '' ? null : amountProblem(t('desk.screen.damageCharge'), charge)
          setWrong(problem)
          if (problem === null) onGiven({ note: note.trim(), charge: amountOf(charge) ?? 0 })
          else price.current?.focus()
        }}
      >
        <TextInput
          label={t('desk.screen.damage')}
          className={classes.note}
          maxLength={300}
          required
          ref={first}
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
        <AmountInput
          ref={price}
          label={t('desk.screen.damageCharge')}
          className={classes.charge}
          value={charge}
          error={wrong}
          onChange={(event) => setCharge(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" disabled={note.trim() === ''}>
          {t('desk.screen.toRepair')}
        </Button>
        <Button variant="subtle" onClick={() => setOpened(false)}>
          {t('common.cancel')}
        </Button>
      </form>
    </div>
  )
}
