import { Button } from '@mantine/core'
import type { Hold } from '../../api/types'
import { t } from '../../lib/messages'
import { Sheet } from '../../print/Sheet'
import { Dialog } from '../../ui/Dialog'
import classes from './Holds.module.css'
import { SlipContent } from './SlipContent'

/** Dialog that shows the slip of a kept copy before it is printed. */
export function Slip({ hold, onClose }: { hold: Hold; onClose: () => void }) {
  return (
    <Dialog onClose={onClose} title={t('holds.slip.title')} size="sm">
      <Sheet paper="slip" className={classes.slip}>
        <SlipContent hold={hold} />
      </Sheet>
      <Button fullWidth mt="md" data-autofocus onClick={() => window.print()}>
        {t('holds.slip.print')}
      </Button>
    </Dialog>
  )
}
