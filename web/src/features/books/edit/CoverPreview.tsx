import { Anchor, Skeleton, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { check } from '../../../api/validate'
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
            alt="Cover as readers will see it"
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
              {values.title.trim() || 'Title'}
            </span>
            <span className={classes.boardAuthor} dir="auto" aria-hidden="true">
              {values.author.trim() || 'Author'}
            </span>
          </>
        )}
      </div>
      <div className={classes.words}>
        <Text size="sm" c="dimmed" role="status">
          {WORDS[stage]}
        </Text>
        {drawn !== null && stage !== 'loading' && stage !== 'shown' && (
          <Anchor component="button" type="button" size="sm" ta="start" onClick={onUseDrawn}>
            Use the library’s drawn cover
          </Anchor>
        )}
      </div>
    </div>
  )
}

const FAILED = 'No picture could be loaded from this address. Readers will see a cover with title and author instead.'

const WORDS: Record<Stage, string> = {
  none: 'The cover appears here as soon as the photo URL is filled in.',
  unfinished: 'This is not a web address yet.',
  loading: 'Fetching the picture…',
  shown: 'This is how readers will see the cover.',
  failed: FAILED,
  bare: FAILED,
}
