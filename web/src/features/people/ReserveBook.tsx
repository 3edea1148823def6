import { Alert, Button, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useAction } from '../../api/action'
import { bookHitsQuery } from '../../api/books'
import { placeHold } from '../../api/holds'
import { t } from '../../lib/messages'
import { messageOf } from '../../lib/problem'
import { Dialog } from '../../ui/Dialog'
import { Hits } from '../../ui/Hits'

const TYPING_MS = 200

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
  const [typed, setTyped] = useState('')
  const wanted = typed.trim()
  const [q] = useDebouncedValue(wanted, TYPING_MS)
  const query = useQuery({ ...bookHitsQuery(q), enabled: q !== '' })
  const found = query.data?.books ?? []
  const place = useAction(placeHold, {
    done: ({ userName, place: at }) => t('holds.placedFor', { name: userName, place: at ?? 1 }),
  })
  const failure = place.error ?? query.error

  async function reserve(bookId: number) {
    const { ok } = await place.run({ bookId, person: uid })
    if (ok) onClose()
  }

  return (
    <Dialog onClose={onClose} title={t('holds.reserveBook.title', { name })} size="lg">
      <TextInput
        label={t('holds.reserveBook.search')}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value)
          place.reset()
        }}
      />
      {failure !== null && (
        <Alert color="red" role="alert" mt="md">
          {messageOf(failure)}
        </Alert>
      )}
      {q !== '' && q === wanted && query.isSuccess && !query.isPlaceholderData && found.length === 0 && (
        <Text mt="md" role="status">
          {t('holds.reserveBook.none', { q })}
        </Text>
      )}
      {wanted !== '' && found.length > 0 && (
        <Hits
          hits={found.map(({ id, title, author }) => ({
            id,
            facts: [title, author],
            onChoose: () => void reserve(id),
          }))}
        />
      )}
    </Dialog>
  )
}
