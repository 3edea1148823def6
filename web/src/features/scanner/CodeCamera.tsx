import { Text } from '@mantine/core'
import { useCallback, useEffect, useRef, useState } from 'react'
import { t } from '../../lib/messages'
import type { ScanResult } from './acceptance'
import { headline } from './messages'
import { codeOf } from './rollNumber'
import classes from './ScannerPanel.module.css'
import { Shown } from './shown'
import { Controls, Stage } from './Stage'
import { useScanner } from './useScanner'

type CodeCameraProps = {
  onCode: (code: string) => void
  /** Text shown where the browser refuses a camera for lack of https. */
  insecure?: string
}

/** Camera that reads one code after the other while it is mounted (R-DESK-1). */
export function CodeCamera({ onCode, insecure }: CodeCameraProps) {
  const [shown] = useState(() => new Shown())
  const latestOnCode = useRef(onCode)
  useEffect(() => {
    latestOnCode.current = onCode
  })
  const onRead = useCallback(
    (read: ScanResult) => {
      const code = codeOf(read)
      if (shown.isNew(code, performance.now())) latestOnCode.current(code)
    },
    [shown],
  )
  const { attach, scanner, view } = useScanner(onRead)

  return (
    <section className={classes.panel} aria-label={t('scanner.codes.label')}>
      <Text size="sm" role="status" className={classes.header}>
        {wordsOf(view, insecure)}
      </Text>
      <Stage attach={attach} view={view} />
      {scanner && view && <Controls scanner={scanner} view={view} />}
    </section>
  )
}

function wordsOf(view: ReturnType<typeof useScanner>['view'], insecure: string | undefined): string {
  if (!view) return t('scanner.starting')
  if (view.problem === 'insecure' && insecure !== undefined) return insecure
  // The usual text offers a picture file or typing, which this camera does not have.
  if (view.problem === 'noCamera') return t('scanner.codes.noCamera')
  return headline(view, t('scanner.codes.point'))
}
