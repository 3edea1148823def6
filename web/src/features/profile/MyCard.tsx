import { Button, Modal } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Barcode } from 'lucide-react'
import { useEffect, useState } from 'react'
import { myPhotoQuery } from '../../api/photos'
import type { User } from '../../api/types'
import { t } from '../../lib/messages'
import { CardSheet, prefetchCard } from './CardSheet'

/** The student's own card, to print or to show on a phone. */
export function MyCard({ user }: { user: User }) {
  const [opened, setOpened] = useState(false)
  const { rollNumber } = user
  const photo = useQuery({ ...myPhotoQuery, enabled: opened }).data
  useEffect(prefetchCard, [])
  if (rollNumber === null) return null
  return (
    <>
      <Button variant="default" leftSection={<Barcode />} onClick={() => setOpened(true)}>
        {t('profile.card.title')}
      </Button>
      <Modal opened={opened} onClose={() => setOpened(false)} title={t('profile.card.title')} size="md">
        <CardSheet
          name={user.name}
          department={user.department}
          batch={user.batch}
          rollNumber={rollNumber}
          photo={photo ?? null}
        />
      </Modal>
    </>
  )
}
