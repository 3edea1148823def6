import { Button } from '@mantine/core'
import { useLibraryName } from '../../api/config'
import type { Hold } from '../../api/types'
import { t } from '../../lib/messages'
import { Sheet } from '../../print/Sheet'
import { Dialog } from '../../ui/Dialog'
import { DateText } from '../../ui/Facts'
import classes from './Holds.module.css'

/** Slip for a kept copy: reader, last day and barcode. */
export function Slip({ hold, onClose }: { hold: Hold; onClose: () => void }) {
  const library = useLibraryName()
  return (
    <Dialog onClose={onClose} title={t('holds.slip.title')} size="sm">
      <Sheet paper="slip" className={classes.slip}>
        <p className={classes.slipSmall} dir="auto">
          {library || 'My Library'}
        </p>
        <p className={classes.slipName} dir="auto">
          {hold.userName}
        </p>
        {hold.rollNumber !== null && (
          <p className={classes.slipSmall} dir="auto">
            {hold.rollNumber}
          </p>
        )}
        {hold.readyUntil !== null && (
          <p className={classes.slipUntil}>
            {t('holds.slip.until')} <DateText day={hold.readyUntil} />
          </p>
        )}
        <p dir="auto">{hold.title}</p>
        <p className={classes.slipSmall} dir="auto">
          {hold.barcode}
        </p>
      </Sheet>
      <Button fullWidth mt="md" data-autofocus onClick={() => window.print()}>
        {t('holds.slip.print')}
      </Button>
    </Dialog>
  )
}
