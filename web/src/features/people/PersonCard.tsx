import { Button } from '@mantine/core'
import { Barcode } from 'lucide-react'
import { useState } from 'react'
import { useAction } from '../../api/action'
import { notePrinted } from '../../api/overview'
import type { Person } from '../../api/types'
import { photoOf } from '../../lib/photoOf'
import { t } from '../../lib/messages'
import { Dialog } from '../../ui/Dialog'
import { CardSheet } from '../profile'

/** A person's ID card, to print; only with a roll number (R-PEOPLE-2). */
export function PersonCard({ person }: { person: Person }) {
  const { name, department, batch, rollNumber } = person
  const [opened, setOpened] = useState(false)
  const note = useAction(notePrinted)
  if (rollNumber === null) return null
  return (
    <>
      <Button variant="default" leftSection={<Barcode data-size="18" />} onClick={() => setOpened(true)}>
        {t('people.card.open')}
      </Button>
      {opened && (
        <Dialog title={t('people.card.title', { name })} onClose={() => setOpened(false)} size="md">
          <CardSheet
            name={name}
            department={department}
            batch={batch}
            rollNumber={rollNumber}
            photo={photoOf(person)}
            onPrint={() => void note.run(null)}
          />
        </Dialog>
      )}
    </>
  )
}
