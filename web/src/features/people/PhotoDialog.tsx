import { Alert, Button, FileButton, Group, Stack, Text } from '@mantine/core'
import { UserRound } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useAction } from '../../api/action'
import { uploadOf } from '../../api/imports'
import { removePhoto, uploadPhoto } from '../../api/photos'
import type { Person } from '../../api/types'
import { t } from '../../lib/messages'
import { photoOf } from '../../lib/photoOf'
import { fieldsOf, messageOf } from '../../lib/problem'
import { Dialog } from '../../ui/Dialog'
import classes from './PersonScreen.module.css'

const KINDS = 'image/jpeg,image/png,image/webp'

/** Chosen file, and its address in this page. */
type Chosen = { file: File; address: string; isBroken?: true }

/** Chooses, replaces or removes the photo of a person. */
export function PhotoDialog({ person, onClose }: { person: Person; onClose: () => void }) {
  const { uid, name } = person
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const [removes, setRemoves] = useState(false)
  const upload = useAction(uploadPhoto, { done: () => t('people.photo.done', { name }) })
  const remove = useAction(removePhoto, { done: () => t('people.photo.removed', { name }) })
  const error = upload.error ?? remove.error
  const shown = chosen ? (chosen.isBroken ? null : chosen.address) : photoOf(person)
  const address = chosen?.address
  useEffect(() => () => void (address !== undefined && URL.revokeObjectURL(address)), [address])

  async function save() {
    if (chosen && (await upload.run({ uid, ...uploadOf(chosen.file) })).ok) onClose()
  }

  async function takeOut() {
    if ((await remove.run(uid)).ok) onClose()
  }

  return (
    <Dialog title={<span dir="auto">{t('people.photo.title', { name })}</span>} onClose={onClose}>
      <Stack>
        <Group align="flex-start" wrap="nowrap">
          <div className={classes.photo} data-large>
            {shown === null ? (
              <UserRound aria-hidden />
            ) : (
              <img
                src={shown}
                alt={t('people.photo.of', { name })}
                onError={() => setChosen(chosen && { ...chosen, isBroken: true })}
              />
            )}
          </div>
          <Stack gap="xs">
            <FileButton
              accept={KINDS}
              onChange={(file) => {
                setRemoves(false)
                upload.reset()
                if (file) setChosen({ file, address: URL.createObjectURL(file) })
              }}
            >
              {(button) => (
                <Button {...button} variant={chosen ? 'default' : 'filled'} data-autofocus>
                  {t(shown === null ? 'people.photo.choose' : 'people.photo.other')}
                </Button>
              )}
            </FileButton>
            <Text size="sm" c="dimmed">
              {t('people.photo.kinds')}
            </Text>
          </Stack>
        </Group>
        {error !== null && (
          <Alert color="red" role="alert">
            {fieldsOf(error)['file'] ?? messageOf(error)}
          </Alert>
        )}
        {chosen?.isBroken && (
          <Alert color="red" role="alert">
            {t('people.photo.broken')}
          </Alert>
        )}
        {removes && <Text role="status">{t('people.photo.removeWhat')}</Text>}
        <Group justify="flex-end">
          {removes ? (
            <>
              <Button variant="default" onClick={() => setRemoves(false)}>
                {t('people.photo.keep')}
              </Button>
              <Button color="red" loading={remove.pending} onClick={() => void takeOut()}>
                {t('people.photo.remove')}
              </Button>
            </>
          ) : (
            <>
              {person.photo !== null && chosen === null && (
                <Button color="red" variant="subtle" onClick={() => setRemoves(true)}>
                  {t('people.photo.removeOpen')}
                </Button>
              )}
              <Button variant="default" onClick={onClose}>
                {t('common.cancel')}
              </Button>
              {chosen && !chosen.isBroken && (
                <Button loading={upload.pending} onClick={() => void save()}>
                  {t('people.photo.save')}
                </Button>
              )}
            </>
          )}
        </Group>
      </Stack>
    </Dialog>
  )
}
