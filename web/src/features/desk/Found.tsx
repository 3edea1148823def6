import { Button } from '@mantine/core'
import { useState } from 'react'
import type { LostPrice } from '../../api/types'
import { t } from '../../lib/messages'
import { FoundPrice } from '../money'
import classes from './Desk.module.css'

/** A lost copy turned up here: the price that its reader was charged may be taken back (R-MONEY-4). */
export function Found({ lost }: { lost: LostPrice }) {
  const [asked, setAsked] = useState(false)
  return (
    <>
      <Button variant="default" size="sm" className={classes.undo} onClick={() => setAsked(true)}>
        {t('desk.screen.found')}
      </Button>
      {asked && <FoundPrice lost={lost} onClose={() => setAsked(false)} />}
    </>
  )
}
