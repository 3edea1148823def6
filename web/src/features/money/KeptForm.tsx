import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { KeptTask } from '../../counter/useKeptTask'
import { useKeyboardWedge } from '../../lib/keyboardWedge'
import { t } from '../../lib/messages'
import { notify } from '../../lib/notify'
import { UnknownTasks } from '../../ui/OutboxState'

type KeptFormProps = { kept: KeptTask; onClose: () => void; children: ReactNode }

/** Shows a form, or in its place the form's task that waits for the server or has an unknown outcome (R-SEAM-5). */
export function KeptForm({ kept: { desk, waiting, unknown, elsewhere }, onClose, children }: KeptFormProps) {
  // At the desk a scan into a window waits; elsewhere it must not press the window's button (R-SEAM-4).
  useKeyboardWedge(!desk.isOnScreen, ({ code }) => notify.failure(t('outbox.scanned', { code }), 'scanned'), {
    atDesk: true,
  })
  const isShown = waiting === null && unknown === null
  // The form must not offer the same action again before it is known whether it was done.
  const setAside = (key: string) => {
    desk.giveUp(key)
    onClose()
  }
  return (
    <>
      {!isShown && (
        <Stack>
          {waiting && (
            <>
              <Text role="status" fw={600} dir="auto">
                {t('outbox.waiting', { list: waiting.label })}
              </Text>
              <Text>{t('outbox.kept')}</Text>
            </>
          )}
          <UnknownTasks entries={unknown ? [unknown] : []} onTryAgain={desk.tryAgain} onSetAside={setAside} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.close')}
            </Button>
          </Group>
        </Stack>
      )}
      {/* Hidden, so that a refusal finds the input as it was. */}
      <div hidden={!isShown}>
        {elsewhere.length > 0 && (
          <Alert color="orange" role="alert" mb="md">
            {t('outbox.elsewhere', { list: elsewhere.join(', ') })}
          </Alert>
        )}
        {children}
      </div>
    </>
  )
}
