import { Anchor, Skeleton, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { check } from '../../../api/validate'
import { t } from '../../../lib/messages'
import type { BookValues } from './bookValues'
import classes from './CoverPreview.module.css'

type CoverPreviewProps = {
  values: BookValues
  /** Id of the book; null before it is added. */
  id: number | null
  onUseDrawn: (address: string) => void
}

const QUIET_MS = 400

/** Preview of the book's cover during an edit: its picture, or the cover that the server draws. */
export function CoverPreview({ values, id, onUseDrawn }: CoverPreviewProps) {
  const { title, author, genre, photoURL } = values
  const [typed] = useDebouncedValue(photoURL.trim(), QUIET_MS)
  // Parameters of the drawn cover, debounced; the server draws the same cover for the catalogue.
  const [words] = useDebouncedValue(
    `${new URLSearchParams({ id: `${id ?? 0}`, title: title.trim(), author: author.trim(), genre: genre.trim() })}`,
    QUIET_MS,
  )
  const own = id === null ? null : new URL(`/library/covers/${id}.svg`, location.origin)
  const drawing = `/library/covers/preview.svg?${words}`

  return (
    <Preview
      key={typed}
      url={typed}
      // If the picture is the book's own drawn cover, the preview follows each change of the title.
      drawn={own !== null && pathOf(typed) === own.pathname}
      drawing={drawing}
      {...(own && { onUseDrawn: () => onUseDrawn(own.href) })}
    />
  )
}

type Stage = 'none' | 'unfinished' | 'loading' | 'shown' | 'failed' | 'drawn'

type PreviewProps = { url: string; drawn: boolean; drawing: string; onUseDrawn?: () => void }

function Preview({ url, drawn, drawing, onUseDrawn }: PreviewProps) {
  const [stage, setStage] = useState<Stage>(() => {
    if (drawn) return 'drawn'
    if (url === '') return 'none'
    return check('BookForm', 'photoURL', url) === null ? 'loading' : 'unfinished'
  })
  const picture = stage === 'loading' || stage === 'shown'

  return (
    <div className={classes.preview}>
      <div className={classes.cover}>
        {stage === 'loading' && <Skeleton className={classes.skeleton} radius={0} />}
        <img
          // A changed drawing is updated in place; switching to a picture mounts a new image.
          key={picture ? 'picture' : 'drawing'}
          src={picture ? url : drawing}
          alt={t('books.edit.cover.alt')}
          width={200}
          height={300}
          decoding="async"
          referrerPolicy="no-referrer"
          className={classes.image}
          {...(picture && { onLoad: () => setStage('shown'), onError: () => setStage('failed') })}
        />
      </div>
      <div className={classes.words}>
        <Text size="sm" c="dimmed" role="status">
          {t(`books.edit.cover.${stage}`)}
        </Text>
        {onUseDrawn && !picture && stage !== 'drawn' && (
          <Anchor component="button" type="button" size="sm" ta="start" onClick={onUseDrawn}>
            {t('books.edit.cover.useDrawn')}
          </Anchor>
        )}
      </div>
    </div>
  )
}

const pathOf = (address: string) =>
  URL.canParse(address, location.origin) ? new URL(address, location.origin).pathname : null
