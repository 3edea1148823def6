import { Button, Group, Stack, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { usePrintedName } from '../../api/config'
import { t } from '../../lib/messages'
import { Sheet } from '../../print/Sheet'
import { Copy } from '../../ui/Copy'
import classes from './SecondFactor.module.css'

/** Shows new recovery codes, which cannot be shown again. */
export function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const library = usePrintedName()
  const text = useRef<HTMLParagraphElement>(null)
  const list = useRef<HTMLUListElement>(null)
  // The form that had the focus is gone, so the text takes the focus.
  useEffect(() => text.current?.focus(), [])
  return (
    <Stack>
      <Text ref={text} tabIndex={-1} className={classes.intro}>
        {t('security.second.codesWhat')}
      </Text>
      <Sheet paper="page" className={classes.slip}>
        <p className={classes.library} dir="auto">
          {t('security.second.codesOf', { library })}
        </p>
        <ul ref={list} className={classes.codes}>
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
      </Sheet>
      <Group justify="flex-end">
        <Copy text={codes.join('\n')} shownIn={list} />
        <Button variant="default" onClick={() => window.print()}>
          {t('people.print')}
        </Button>
        <Button onClick={onClose}>{t('security.second.kept')}</Button>
      </Group>
    </Stack>
  )
}
