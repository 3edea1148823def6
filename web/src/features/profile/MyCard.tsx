import { Button, Modal } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { loadChunk } from '../../lib/chunks'
import { t } from '../../lib/messages'
import type { User } from '../../api/types'
import { Boundary } from '../../ui/Boundary'
import { CardIcon } from '../../ui/icons'

const IdCard = lazy(() => loadChunk('id-card', () => import('./IdCard')))

/** The student's own card, to print or to show on a phone. */
export function MyCard({ user }: { user: User }) {
  const [opened, setOpened] = useState(false)
  const { rollNumber } = user
  if (rollNumber === null) return null
  return (
    <>
      <Button variant="default" mt="lg" leftSection={<CardIcon />} onClick={() => setOpened(true)}>
        {t('profile.card.title')}
      </Button>
      <Modal opened={opened} onClose={() => setOpened(false)} title={t('profile.card.title')} size="md">
        <Boundary fallback={<p role="alert">{t('profile.card.failed')}</p>}>
          <Suspense fallback={t('profile.card.loading')}>
            <IdCard name={user.name} department={user.department} batch={user.batch} rollNumber={rollNumber} />
          </Suspense>
        </Boundary>
      </Modal>
    </>
  )
}
