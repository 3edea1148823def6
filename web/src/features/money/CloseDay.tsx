import { Alert, Button, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { useActionForm } from '../../api/form'
import { closeDay, tillQuery } from '../../api/till'
import type { Till } from '../../api/types'
import { amountOf } from '../../lib/amount'
import { t } from '../../lib/messages'
import { fieldsOf, messageOf } from '../../lib/problem'
import { paths } from '../../screens'
import { AmountInput, amountProblem } from '../../ui/AmountInput'
import { Dialog } from '../../ui/Dialog'
import { DialogEnd } from '../../ui/DialogEnd'
import { ListState } from '../../ui/ListState'
import { TillFacts } from './TillFacts'

/** Button that closes the till: what it should hold, what was counted, and the difference. */
export function CloseDay() {
  const [asked, setAsked] = useState(false)
  return (
    <>
      <Button onClick={() => setAsked(true)}>{t('money.close.open')}</Button>
      {asked && <CloseDialog onClose={() => setAsked(false)} />}
    </>
  )
}

function CloseDialog({ onClose }: { onClose: () => void }) {
  const query = useQuery({ ...tillQuery, refetchOnMount: 'always', refetchOnWindowFocus: false })
  const data = query.isFetchedAfterMount ? query.data : undefined
  return (
    <Dialog onClose={onClose} title={t('money.close.title')}>
      <ListState query={{ ...query, data }} lines={6}>
        {(till) => <CloseForm till={till} onClose={onClose} reload={query.refetch} />}
      </ListState>
    </Dialog>
  )
}

type CloseFormProps = { till: Till; onClose: () => void; reload: () => Promise<unknown> }

function CloseForm({ till, onClose, reload }: CloseFormProps) {
  const navigate = useNavigate()
  const { after, expected } = till
  const { form, onSubmit, pending, error } = useActionForm({
    action: closeDay,
    initial: { counted: '', note: '' },
    inputOf: ({ counted, note }: { counted: string; note: string }) => ({
      after,
      expected,
      counted: amountOf(counted) ?? 0,
      note,
    }),
    validate: { counted: (typed: string) => amountProblem(t('money.close.counted'), typed) },
    done: ({ number }) => t('money.close.done', { number }),
    onDone: ({ number }) => void navigate(paths.closing(number)),
  })
  const counted = amountOf(form.values.counted)
  const difference = counted === null ? null : Math.round((counted - expected) * 100) / 100
  const { counted: atCounted, note: atNote, ...others } = fieldsOf(error)
  const stale = Object.values(others)[0]
  const failure = error === null || atCounted !== undefined || atNote !== undefined || stale ? null : messageOf(error)

  return (
    <form noValidate onSubmit={onSubmit}>
      <Stack>
        <TillFacts of={till} />
        <AmountInput label={t('money.close.counted')} data-autofocus {...form.getInputProps('counted')} />
        <Text role="status" mih="1.5em">
          {difference !== null && differenceText(difference)}
        </Text>
        <TextInput label={t('money.close.note')} autoComplete="off" {...form.getInputProps('note')} />
        {stale !== undefined && (
          <Alert color="red" role="alert">
            {stale}{' '}
            <Button variant="default" size="compact-sm" h={34} onClick={() => void reload()}>
              {t('money.close.reload')}
            </Button>
          </Alert>
        )}
        <DialogEnd failure={failure} submit={t('money.close.submit')} pending={pending} onCancel={onClose} />
      </Stack>
    </form>
  )
}

/** "₹2 too little" */
export const differenceText = (difference: number): string =>
  difference === 0
    ? t('money.close.none')
    : difference < 0
      ? t('money.close.short', { amount: -difference })
      : t('money.close.over', { amount: difference })
