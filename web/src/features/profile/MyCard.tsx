import { Button, Modal } from '@mantine/core'
import { Barcode } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { User } from '../../api/types'
import { t } from '../../lib/messages'
import { CardSheet, prefetchCard } from './CardSheet'

/** The student's own card, to print or to show on a phone. */
export function MyCard({ user }: { user: User }) {
  const [opened, setOpened] = useState(false)
  const { rollNumber } = user
  useEffect(prefetchCard, [])
  if (rollNumber === null) return null
  return (
    <>
      <Button variant="default" leftSection={<Barcode />} onClick={() => setOpened(true)}>
        {t('profile.card.title')}
      </Button>
      <Modal opened={opened} onClose={() => setOpened(false)} title={t('profile.card.title')} size="md">
        <CardSheet name={user.name} department={user.department} batch={user.batch} rollNumber={rollNumber} />
      </Modal>
    </>
  )
}
