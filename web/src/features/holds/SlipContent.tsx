import { usePrintedName } from '../../api/config'
import type { Hold } from '../../api/types'
import { t } from '../../lib/messages'
import { DateText } from '../../ui/Facts'
import classes from './Holds.module.css'

/** Content of the slip of a kept copy: reader, last day and barcode. */
export function SlipContent({ hold }: { hold: Hold }) {
  const library = usePrintedName()
  return (
    <>
      <p className={classes.slipSmall} dir="auto">
        {library}
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
    </>
  )
}
