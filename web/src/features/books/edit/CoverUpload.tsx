import { Button, FileButton, Group, Text } from '@mantine/core'
import { useId, useState, type DragEvent } from 'react'
import { useAction } from '../../../api/action'
import { uploadCover } from '../../../api/covers'
import { uploadOf } from '../../../api/imports'
import { t } from '../../../lib/messages'
import { fieldsOf, messageOf } from '../../../lib/problem'
import classes from './CoverUpload.module.css'

type CoverUploadProps = {
  /** Address of the current picture. */
  value: string
  onUse: (address: string) => void
  onRemove: () => void
}

const KINDS = 'image/jpeg,image/png,image/webp'

/** Uploads a chosen or dropped picture as the cover, and puts the picture's address into the form. */
export function CoverUpload({ value, onUse, onRemove }: CoverUploadProps) {
  const upload = useAction(uploadCover)
  const [over, setOver] = useState(false)
  const error = useId()

  async function take(file: File | null | undefined) {
    if (!file || upload.pending) return
    const done = await upload.run(uploadOf(file))
    if (done.ok) onUse(done.output.url)
  }

  function drop(event: DragEvent) {
    event.preventDefault()
    setOver(false)
    void take(event.dataTransfer.files[0])
  }

  const reason = upload.error === null ? null : (fieldsOf(upload.error)['file'] ?? messageOf(upload.error))
  return (
    // The button inside does the same for the keyboard.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div
      className={classes.drop}
      data-over={over || undefined}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Group gap="xs">
        <FileButton accept={KINDS} onChange={(file) => void take(file)}>
          {(button) => (
            <Button
              {...button}
              variant="default"
              loading={upload.pending}
              aria-describedby={reason === null ? undefined : error}
            >
              {t('books.edit.cover.choose')}
            </Button>
          )}
        </FileButton>
        {isUploaded(value) && (
          <Button variant="subtle" onClick={onRemove}>
            {t('books.edit.cover.remove')}
          </Button>
        )}
      </Group>
      <Text size="sm" c="dimmed">
        {t('books.edit.cover.kinds')}
      </Text>
      {reason !== null && (
        <Text id={error} role="alert" size="sm" className={classes.error}>
          {reason}
        </Text>
      )}
    </div>
  )
}

/** True for a cover that was uploaded to this library. */
const isUploaded = (address: string) => /\/library\/covers\/[0-9a-f]{32}\.jpg$/.test(address)
