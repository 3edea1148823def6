import { Button, Skeleton } from '@mantine/core'
import { Smartphone } from 'lucide-react'
import { useState } from 'react'
import type { Desk } from '../../counter/queue'
import { usePhones } from '../../counter/usePhones'
import { Chunk, lazyChunk } from '../../lib/lazyChunk'
import { t } from '../../lib/messages'
import { Dialog } from '../../ui/Dialog'
import { NotLoaded } from '../../ui/NotLoaded'

const Pairing = lazyChunk('pairing', () => import('./Pairing'))

/** Number of this desk's phones, and a dialog to pair and disconnect them (R-DESK-9). */
export function Phones({ desk, onClosed }: { desk: Desk; onClosed: () => void }) {
  const [shown, setShown] = useState(false)
  const phones = usePhones(desk)
  const scanning = phones.own.filter(({ openedAt }) => openedAt !== null).length
  return (
    <>
      <Button
        variant={scanning > 0 ? 'light' : 'default'}
        leftSection={<Smartphone aria-hidden />}
        aria-haspopup="dialog"
        onClick={() => setShown(true)}
      >
        {scanning === 0 ? t('desk.phones.none') : t('desk.phones.scanning', { count: scanning })}
      </Button>
      {shown && (
        <Dialog
          title={t('desk.phones.title')}
          onClose={() => {
            setShown(false)
            onClosed()
          }}
        >
          <Chunk
            part={Pairing}
            waiting={<Skeleton height={120} aria-hidden="true" />}
            failed={(retry) => <NotLoaded message={t('common.failed')} onRetry={retry} />}
          >
            <Pairing phones={phones} />
          </Chunk>
        </Dialog>
      )}
    </>
  )
}
