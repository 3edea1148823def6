import { Button, NativeSelect } from '@mantine/core'
import { useRef, useState } from 'react'
import type { Method } from '../../api/types'
import type { OpenFine } from '../../counter/acts'
import type { EntryActions } from '../../counter/queue'
import { showsKeys, useAltKey } from '../../lib/altKey'
import { amountOf } from '../../lib/amount'
import { t } from '../../lib/messages'
import { AmountInput, amountProblem } from '../../ui/AmountInput'
import { Anyway } from './Anyway'
import classes from './Desk.module.css'

type FineProps = { fine: OpenFine; actions: EntryActions; keyed: boolean }

const METHODS = ['cash', 'upi', 'card', 'other'] as const satisfies readonly Method[]

/** Fine of a return: taken now, waived with a reason, or left for later (R-DESK-7). */
export function Fine({ fine: { entry, id, open, uid, name }, actions, keyed }: FineProps) {
  const [isWaiving, setWaiving] = useState(false)
  const [typed, setTyped] = useState(String(open))
  const [wrong, setWrong] = useState<string | null>(null)
  const box = useRef<HTMLInputElement>(null)
  const take = useRef<HTMLButtonElement>(null)
  const waive = useRef<HTMLButtonElement>(null)
  const later = useRef<HTMLButtonElement>(null)
  const [method, setMethod] = useState<Method>('cash')
  const amount = amountOf(typed)
  const isPayable = amount !== null && amount > 0 && amount <= open
  const fines = { uid, name, charges: [{ id, open }] }
  useAltKey('KeyT', take, keyed && !isWaiving)
  useAltKey('KeyW', waive, keyed && !isWaiving)
  useAltKey('KeyL', later, keyed && !isWaiving)

  if (isWaiving) {
    const waived = isPayable ? amount : open
    const label =
      waived < open ? t('desk.screen.waivePart', { amount: waived, open }) : t('desk.screen.waive', { amount: open })
    return (
      <Anyway
        label={label}
        decision="waive"
        keyed={keyed}
        onGiven={(reason) => actions.act(label, { kind: 'waive', fines, reason, amount: waived })}
        onClosed={() => setWaiving(false)}
      />
    )
  }
  return (
    <form
      noValidate
      className={classes.fine}
      onSubmit={(event) => {
        event.preventDefault()
        if (!isPayable) {
          const label = t('desk.screen.amount')
          const range = { label, min: Math.min(0.01, open), max: open }
          setWrong(amountProblem(label, typed) ?? t('field.amountOutOfRange', range))
          box.current?.focus()
          return
        }
        actions.act(t('desk.screen.take', { amount }), { kind: 'pay', fines, amount, method })
      }}
    >
      <AmountInput
        ref={box}
        label={t('desk.screen.amount')}
        value={typed}
        error={wrong}
        onChange={(event) => {
          setTyped(event.currentTarget.value)
          setWrong(null)
        }}
      />
      <PaidBy method={method} onChange={setMethod} />
      <Button ref={take} type="submit" aria-keyshortcuts={keyed ? 'Alt+T' : undefined}>
        {!isPayable
          ? t('desk.screen.takeNothing')
          : t(keyed && showsKeys() ? 'desk.screen.takeKey' : 'desk.screen.take', { amount })}
      </Button>
      <Button
        ref={waive}
        variant="default"
        aria-keyshortcuts={keyed ? 'Alt+W' : undefined}
        onClick={() => setWaiving(true)}
      >
        {t(keyed && showsKeys() ? 'desk.screen.waiveOpenKey' : 'desk.screen.waiveOpen')}
      </Button>
      <Button
        ref={later}
        variant="subtle"
        aria-keyshortcuts={keyed ? 'Alt+L' : undefined}
        onClick={() => actions.setAside(entry)}
      >
        {t(keyed && showsKeys() ? 'desk.screen.laterKey' : 'desk.screen.later')}
      </Button>
    </form>
  )
}

function PaidBy({ method, onChange }: { method: Method; onChange: (method: Method) => void }) {
  return (
    <NativeSelect
      label={t('desk.screen.method')}
      value={method}
      data={METHODS.map((value) => ({ value, label: t(`desk.screen.method.${value}`) }))}
      onChange={({ currentTarget: { value } }) => onChange(METHODS.find((one) => one === value) ?? 'cash')}
    />
  )
}

type SumProps = { name: string | null; fines: readonly OpenFine[]; actions: EntryActions; keyed?: boolean }

/** Sum of several fines of one reader; each is also listed under Earlier. */
export function SumOfFines({ name, fines, actions, keyed = false }: SumProps) {
  const take = useRef<HTMLButtonElement>(null)
  const [method, setMethod] = useState<Method>('cash')
  useAltKey('KeyT', take, keyed)
  const [first] = fines
  if (!first) return null
  const amount = Math.round(fines.reduce((sum, { open }) => sum + open, 0) * 100) / 100
  // A lost book has two charges: its fine and its price.
  const count = new Set(fines.map(({ entry }) => entry.id)).size
  const label = t('desk.screen.take', { amount })
  const task = {
    kind: 'pay',
    amount,
    method,
    fines: { uid: first.uid, name, charges: fines.map(({ id, open }) => ({ id, open })) },
  } as const
  return (
    <form
      className={classes.sum}
      onSubmit={(event) => {
        event.preventDefault()
        actions.act(label, task)
      }}
    >
      <p dir="auto">
        {name === null ? t('desk.screen.sumOfOne', { amount, count }) : t('desk.screen.sum', { name, amount, count })}
      </p>
      <PaidBy method={method} onChange={setMethod} />
      <Button ref={take} type="submit" aria-keyshortcuts={keyed ? 'Alt+T' : undefined}>
        {keyed && showsKeys() ? t('desk.screen.takeKey', { amount }) : label}
      </Button>
    </form>
  )
}
