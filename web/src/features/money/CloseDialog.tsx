import { Alert, Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Printer } from 'lucide-react'
import { Link } from 'react-router'
import { tillQuery } from '../../api/till'
import type { Till } from '../../api/types'
import type { Task } from '../../counter/tasks'
import { useDesk } from '../../counter/useDesk'
import { useKeptTask, useTasksElsewhere, type KeptTask } from '../../counter/useKeptTask'
import { useTaskForm } from '../../counter/useTaskForm'
import { amountOf, typedAmount } from '../../lib/amount'
import { focusHere } from '../../lib/focus'
import { t } from '../../lib/messages'
import { paths } from '../../screens'
import { AmountInput, amountProblem } from '../../ui/AmountInput'
import { Dialog } from '../../ui/Dialog'
import { DialogEnd } from '../../ui/DialogEnd'
import { ListState } from '../../ui/ListState'
import { ClosingSheet } from './ClosingSheet'
import { KeptForm } from './KeptForm'
import { differenceText } from './differenceText'
import { sumOf, TillFacts } from './TillFacts'

type CloseDialogProps = { onClose: () => void }

/** Closes the till: shows the expected cash, asks for the counted cash, and then shows the closing for printing. */
export function CloseDialog({ onClose }: CloseDialogProps) {
  const query = useQuery({ ...tillQuery, refetchOnMount: 'always', refetchOnWindowFocus: false })
  const data = query.isFetchedAfterMount ? query.data : undefined
  const kept = useKeptTask(({ kind }) => kind === 'closing')
  const closing = kept.done?.closing
  if (closing) {
    return (
      <Dialog onClose={onClose} title={t('money.close.done', { number: closing.number })} size="lg">
        <Stack>
          <ClosingSheet closing={closing} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('money.pay.close')}
            </Button>
            <Button ref={focusHere} leftSection={<Printer data-size="18" aria-hidden />} onClick={() => print()}>
              {t('desk.today.print')}
            </Button>
          </Group>
        </Stack>
      </Dialog>
    )
  }
  return (
    <Dialog onClose={onClose} title={t('money.close.title')}>
      <KeptForm kept={kept} onClose={onClose}>
        <ListState query={{ ...query, data }} lines={6}>
          {(till) => <CloseForm till={till} kept={kept} onClose={onClose} reload={query.refetch} />}
        </ListState>
      </KeptForm>
    </Dialog>
  )
}

/** True if a task changes the cash of the till. */
const movesCash = ({ kind }: Task): boolean =>
  kind === 'pay' || kind === 'refund' || kind === 'reverse-payment' || kind === 'undo'

type CloseFormProps = {
  till: Till
  kept: KeptTask
  onClose: () => void
  reload: () => Promise<unknown>
}

function CloseForm({ till, kept, onClose, reload }: CloseFormProps) {
  const { after, expected } = till
  const { form, failure, onSubmit } = useTaskForm(kept, {
    initial: { opening: typedAmount(till.opening), counted: '', note: '', after, expected },
    validate: {
      opening: (typed) => (typed.trim() === '' ? null : amountProblem(t('money.close.opening'), typed)),
      counted: (typed) => amountProblem(t('money.close.counted'), typed),
    },
    taskOf: ({ opening: float, counted, note }) => ({
      label: t('money.close.submit'),
      task: {
        kind: 'closing',
        form: { after, expected, opening: amountOf(float) ?? 0, counted: amountOf(counted) ?? 0, note },
      },
    }),
  })
  const { desk, waiting, unknown } = useDesk()
  const unsent = [...unknown, ...waiting].filter(({ task }) => movesCash(task))
  const elsewhere = useTasksElsewhere(desk, movesCash)
  const opening = amountOf(form.values.opening) ?? 0
  const counted = amountOf(form.values.counted)
  const difference = counted === null ? null : sumOf(counted, -sumOf(opening, expected))
  const stale = form.errors['after'] ?? form.errors['expected']

  return (
    <form noValidate onSubmit={onSubmit}>
      <Stack>
        {unsent.length > 0 && (
          <Alert color="red" role="alert">
            {t('money.close.unsent', { list: unsent.map(({ label }) => label).join(', ') })}{' '}
            <Anchor component={Link} to={paths.desk()} fz="inherit">
              {t('outbox.toDesk')}
            </Anchor>
          </Alert>
        )}
        {elsewhere.length > 0 && (
          <Alert color="orange" role="alert">
            {t('money.close.elsewhere', { list: elsewhere.join(', ') })}
          </Alert>
        )}
        <AmountInput
          label={t('money.close.opening')}
          description={t('money.close.openingHint')}
          {...form.getInputProps('opening')}
        />
        <TillFacts of={till} opening={opening} />
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
        <DialogEnd
          failure={failure}
          submit={t('money.close.submit')}
          pending={kept.pending}
          disabled={unsent.length > 0}
          onCancel={onClose}
        />
      </Stack>
    </form>
  )
}
