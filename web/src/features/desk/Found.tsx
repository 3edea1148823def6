import { Button } from '@mantine/core'
import { useState } from 'react'
import type { LostPrice } from '../../api/types'
import { t } from '../../lib/messages'
import { FoundPrice } from '../money'

/** Button for a lost copy that was found: offers to cancel the price charged to its reader (R-MONEY-4). */
export function Found({ lost }: { lost: LostPrice }) {
  const [asked, setAsked] = useState(false)
  return (
    <>
      <Button variant="default" onClick={() => setAsked(true)}>
        {t('desk.screen.found')}
      </Button>
      {asked && <FoundPrice lost={lost} onClose={() => setAsked(false)} />}
    </>
  )
}
