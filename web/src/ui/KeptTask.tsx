import { Button, Group, Stack, Text } from '@mantine/core'
import type { Entry } from '../lib/outbox'
import { t } from '../lib/messages'
import { UnknownTasks } from './OutboxState'

type KeptTaskProps = {
  waiting: Entry<unknown> | null
  unknown: Entry<unknown> | null
  onTryAgain: (key: string) => void
  onSetAside: (key: string) => void
  onClose: () => void
}

/** Shown in place of a form whose task waits for the server, or whose outcome is unknown (R-SEAM-5). */
export function KeptTask({ waiting, unknown, onTryAgain, onSetAside, onClose }: KeptTaskProps) {
  return (
    <Stack>
      {waiting && (
        <>
          <Text role="status" fw={600} dir="auto">
            {t('outbox.waiting', { list: waiting.label })}
          </Text>
          <Text>{t('outbox.kept')}</Text>
        </>
      )}
      <UnknownTasks entries={unknown ? [unknown] : []} onTryAgain={onTryAgain} onSetAside={onSetAside} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {t('common.close')}
        </Button>
      </Group>
    </Stack>
  )
}
