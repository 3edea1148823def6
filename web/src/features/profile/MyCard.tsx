import { Button, Modal } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { loadChunk } from '../../lib/chunks'
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
        My ID card
      </Button>
      <Modal opened={opened} onClose={() => setOpened(false)} title="My ID card" size="md">
        <Boundary
          fallback={<p role="alert">The card could not be loaded. Check your connection and open the page again.</p>}
        >
          <Suspense fallback="Drawing the card…">
            <IdCard name={user.name} department={user.department} batch={user.batch} rollNumber={rollNumber} />
          </Suspense>
        </Boundary>
      </Modal>
    </>
  )
}
