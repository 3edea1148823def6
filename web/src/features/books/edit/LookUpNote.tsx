import { Button, Stack, Text } from '@mantine/core'
import type { LookUp } from '../../../api/types'
import { t } from '../../../lib/messages'
import { messageOf } from '../../../lib/problem'

type LookUpNoteProps = {
  pending: boolean
  error: Error | null
  answer: LookUp | null
  /** Labels of the fields that the answer filled. */
  filled: readonly string[]
  /** Found facts that are saved although the form has no field for them. */
  more?: string
  /** Retries the look-up; missing if a look-up button is beside the note. */
  onAgain?: () => void
}

/** Names the source of the values, or says why nothing was found. */
export function LookUpNote({ pending, error, answer, filled, more = '', onAgain }: LookUpNoteProps) {
  const failed = error !== null || (answer !== null && answer.found === null && answer.silent.length > 0)
  return (
    <Stack role="status" gap={4} align="flex-start">
      {!pending && error === null && answer === null ? null : (
        <>
          <Text size="sm" c="dimmed">
            {pending ? t('books.lookUp.busy') : error !== null ? messageOf(error) : answer && wordsOf(answer, filled)}
          </Text>
          {!pending && more !== '' && (
            <Text size="sm" c="dimmed">
              {t('books.lookUp.more', { facts: more })}
            </Text>
          )}
          {!pending && failed && onAgain && (
            <Button variant="default" size="compact-md" onClick={onAgain}>
              {t('books.lookUp.again')}
            </Button>
          )}
        </>
      )}
    </Stack>
  )
}

function wordsOf({ found, source, silent }: LookUp, filled: readonly string[]): string {
  if (found !== null && source !== null) {
    return filled.length > 0
      ? t('books.lookUp.filled', { source, fields: filled.join(', ') })
      : t('books.lookUp.nothingNew', { source })
  }
  return silent.length > 0 ? t('books.lookUp.silent', { sources: silent.join(', ') }) : t('books.lookUp.unknown')
}
