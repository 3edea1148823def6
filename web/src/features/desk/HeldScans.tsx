import { Portal } from '@mantine/core'
import { ScanBarcode } from 'lucide-react'
import { t } from '../../lib/messages'
import classes from './Desk.module.css'

/** Announces, above every form and dialog, scans that are held back (R-SEAM-4). */
export function HeldScans({ codes }: { codes: readonly string[] }) {
  return (
    <Portal>
      <div className={classes.held} role="status" data-shown={codes.length > 0 || undefined}>
        {codes.length > 0 && (
          <>
            <ScanBarcode aria-hidden />
            <span dir="auto">{t('desk.screen.heldWhat', { count: codes.length, list: codes.join(', ') })}</span>
          </>
        )}
      </div>
    </Portal>
  )
}
