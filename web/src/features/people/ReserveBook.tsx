import { Alert, Button } from '@mantine/core'
import { useState } from 'react'
import { useAction } from '../../api/action'
import { placeHold } from '../../api/holds'
import { t } from '../../lib/messages'
import { messageOf } from '../../lib/problem'
import { Dialog } from '../../ui/Dialog'
import { FindBook } from '../findBook'

/** Reserves a book for a reader, found by its title or author. */
export function ReserveBook({ uid, name }: { uid: number; name: string }) {
  const [asked, setAsked] = useState(false)
  return (
    <>
      <Button variant="default" size="compact-sm" h={34} onClick={() => setAsked(true)}>
        {t('holds.reserveBook')}
      </Button>
      {asked && <Choose uid={uid} name={name} onClose={() => setAsked(false)} />}
    </>
  )
}

function Choose({ uid, name, onClose }: { uid: number; name: string; onClose: () => void }) {
  const place = useAction(placeHold, {
    done: ({ userName, place: at }) => t('holds.placedFor', { name: userName, place: at ?? 1 }),
  })

  async function reserve(bookId: number) {
    const { ok } = await place.run({ bookId, person: uid })
    if (ok) onClose()
    return ok
  }

  return (
    <Dialog onClose={onClose} title={t('holds.reserveBook.title', { name })} size="lg">
      <FindBook label={t('holds.reserveBook.search')} isFirst onType={place.reset} onChoose={({ id }) => reserve(id)} />
      {place.error !== null && (
        <Alert color="red" role="alert" mt="md">
          {messageOf(place.error)}
        </Alert>
      )}
    </Dialog>
  )
}
