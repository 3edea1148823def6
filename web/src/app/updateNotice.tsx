import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useEffect } from 'react'
import { onAnswer } from '../api/client'
import { noteAnswer } from '../api/connection'
import { t } from '../lib/messages'

const ID = 'updated'

/** Server build that sent the first response; null before that response. */
let build: string | null = null
let isClosed = false

/** Offers to reload the page after an update of the server. The page never reloads itself: work may be unsent. */
export function useUpdateNotice(): void {
  useEffect(
    () =>
      onAnswer((answer) => {
        noteAnswer(answer)
        const current = answer.headers.get('Library-Build')
        build ??= current
        if (isClosed || current === null || current === build) return
        // Shown again after a change of person, which clears all notices, but not after the user closed it.
        const onClose = () => (isClosed = true)
        notifications.show({ id: ID, role: 'status', color: 'gray', autoClose: false, onClose, message: <Updated /> })
      }),
    [],
  )
}

function Updated() {
  return (
    <Group justify="space-between" wrap="nowrap" gap="sm">
      <Text size="sm">{t('frame.updated')}</Text>
      <Button variant="subtle" size="compact-md" flex="none" onClick={() => location.reload()}>
        {t('app.error.reload')}
      </Button>
    </Group>
  )
}
