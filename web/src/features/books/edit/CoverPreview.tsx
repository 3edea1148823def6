import { Anchor, Skeleton, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { check } from '../../../api/validate'
import { t, type MessageKey } from '../../../lib/messages'
import type { BookValues } from './bookValues'
import classes from './CoverPreview.module.css'

type CoverPreviewProps = {
  values: BookValues
  /** The address of the cover that the library draws itself; a book that is not yet added has none. */
  drawn: string | null
  onUseDrawn: () => void
}

const QUIET_MS = 400

/** What readers will see on the book's card, while its picture's address is typed. */
export function CoverPreview({ values, drawn, onUseDrawn }: CoverPreviewProps) {
  const [typed] = useDebouncedValue(values.photoURL.trim(), QUIET_MS)
  return <Preview key={typed} url={typed} values={values} drawn={drawn} onUseDrawn={onUseDrawn} />
}

/** `bare`: even the drawn cover could not be loaded. */
type Stage = 'none' | 'unfinished' | 'loading' | 'shown' | 'failed' | 'bare'

function Preview({ url, values, drawn, onUseDrawn }: CoverPreviewProps & { url: string }) {
  const [stage, setStage] = useState<Stage>(
    url === '' ? 'none' : check('BookForm', 'photoURL', url) === null ? 'loading' : 'unfinished',
  )
  const picture = stage === 'loading' || stage === 'shown'
  const board = drawn !== null && stage === 'failed' ? drawn : null

  return (
    <div className={classes.preview}>
      <div className={classes.cover} data-board={picture || board !== null ? undefined : stage}>
        {stage === 'loading' && <Skeleton className={classes.skeleton} radius={0} />}
        {picture && (
          <img
            src={url}
            alt={t('books.preview.alt')}
            width={200}
            height={300}
            decoding="async"
            referrerPolicy="no-referrer"
            className={classes.image}
            onLoad={() => setStage('shown')}
            onError={() => setStage('failed')}
          />
        )}
        {board !== null && (
          <img src={board} alt="" width={200} height={300} className={classes.image} onError={() => setStage('bare')} />
        )}
        {!picture && board === null && (
          <>
            <span className={classes.boardTitle} dir="auto" aria-hidden="true">
              {values.title.trim() || t('books.preview.title')}
            </span>
            <span className={classes.boardAuthor} dir="auto" aria-hidden="true">
              {values.author.trim() || t('books.preview.author')}
            </span>
          </>
        )}
      </div>
      <div className={classes.words}>
        <Text size="sm" c="dimmed" role="status">
          {t(WORDS[stage])}
        </Text>
        {drawn !== null && stage !== 'loading' && stage !== 'shown' && (
          <Anchor component="button" type="button" size="sm" ta="start" onClick={onUseDrawn}>
            {t('books.preview.useDrawn')}
          </Anchor>
        )}
      </div>
    </div>
  )
}

const WORDS = {
  none: 'books.preview.none',
  unfinished: 'books.preview.unfinished',
  loading: 'books.preview.loading',
  shown: 'books.preview.shown',
  failed: 'books.preview.failed',
  bare: 'books.preview.failed',
} as const satisfies Record<Stage, MessageKey>
