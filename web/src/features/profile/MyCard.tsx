import { Button, Modal } from '@mantine/core'
import { Suspense, useState } from 'react'
import { ErrorBoundary } from 'react-error-boundary'
import { lazyChunk } from '../../lib/lazyChunk'
import { t } from '../../lib/messages'
import type { User } from '../../api/types'
import { Barcode } from 'lucide-react'

const IdCard = lazyChunk('id-card', () => import('./IdCard'))

/** The student's own card, to print or to show on a phone. */
export function MyCard({ user }: { user: User }) {
  const [opened, setOpened] = useState(false)
  const { rollNumber } = user
  if (rollNumber === null) return null
  return (
    <>
      <Button variant="default" mt="lg" leftSection={<Barcode />} onClick={() => setOpened(true)}>
        {t('profile.card.title')}
      </Button>
      <Modal opened={opened} onClose={() => setOpened(false)} title={t('profile.card.title')} size="md">
        <ErrorBoundary fallback={<p role="alert">{t('profile.card.failed')}</p>} onError={IdCard.again}>
          <Suspense fallback={t('profile.card.loading')}>
            <IdCard name={user.name} department={user.department} batch={user.batch} rollNumber={rollNumber} />
          </Suspense>
        </ErrorBoundary>
      </Modal>
    </>
  )
}
