import { Alert, Button } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { useAction } from '../../api/action'
import { placeHold } from '../../api/holds'
import type { BookDetail } from '../../api/types'
import { focusBack } from '../../lib/focus'
import { quoted } from '../../lib/format'
import { t } from '../../lib/messages'
import { messageOf } from '../../lib/problem'
import { CancelHold } from './CancelHold'
import classes from './Holds.module.css'
import { holdText, offerText } from './holdText'

/** A reader's own hold, or the `Reserve` button if no copy is free (R-HOLD-1). */
export function Reserve({ book }: { book: BookDetail }) {
  const { own, offered, fillable } = book.reservation
  const place = useAction(placeHold, { done: () => t('holds.placed', { title: quoted(book.title) }) })
  const ownHold = useRef<HTMLParagraphElement>(null)
  const refusal = useRef<HTMLDivElement>(null)
  const reserve = useRef<HTMLButtonElement>(null)
  const wasOwn = useRef(own !== null)
  const failed = place.error !== null

  // The pressed button has been replaced by the text about the hold, which takes the focus.
  useEffect(() => {
    if (own !== null && !wasOwn.current) ownHold.current?.focus()
    wasOwn.current = own !== null
  }, [own])
  useEffect(() => {
    if (failed) refusal.current?.focus()
  }, [failed])

  if (own !== null) {
    return (
      <div className={classes.own}>
        <p ref={ownHold} tabIndex={-1} className={classes.sentence} data-ready={own.state === 'ready' || undefined}>
          {holdText(own)}
        </p>
        <CancelHold hold={own} size="compact-sm" h={34} variant="default" whenGone={() => focusBack(reserve.current)} />
      </div>
    )
  }
  return (
    <>
      {offered && (
        <div className={classes.own}>
          <Button ref={reserve} size="md" loading={place.pending} onClick={() => void place.run({ bookId: book.id })}>
            {t('holds.reserve')}
          </Button>
          <p className={classes.sentence}>{offerText(book.reservation)}</p>
        </div>
      )}
      {!fillable && !failed && <p className={classes.sentence}>{t('holds.offer.unfillable')}</p>}
      {failed && (
        <Alert ref={refusal} color="red" role="alert" tabIndex={-1} w="100%">
          {messageOf(place.error)}
        </Alert>
      )}
    </>
  )
}
