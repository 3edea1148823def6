import { Button } from '@mantine/core'
import { usePrintedName } from '../../api/config'
import { t } from '../../lib/messages'
import classes from './IdCard.module.css'
import { code128 } from '../../print/code128'
import { BarcodeSymbol } from '../../print/BarcodeSymbol'
import { Sheet } from '../../print/Sheet'
import { qrCode } from '../../print/symbol'

type IdCardProps = {
  name: string
  department: string | null
  batch: string | null
  rollNumber: string
  /** Address of the photo. */
  photo?: string | null
  onPrint?: () => void
}

/** Maximum number of modules in the bars; more would be too fine, so such a card has the QR code only. */
const MAX_BARS = 300

/** A card with the roll number as bar code and QR code: black on white in every colour scheme, or scanners fail. */
export default function IdCard({ name, department, batch, rollNumber, photo = null, onPrint }: IdCardProps) {
  const library = usePrintedName()
  const drawn = code128(rollNumber)
  const bars = drawn && drawn.width <= MAX_BARS ? drawn : null
  return (
    <>
      <Sheet paper="card" className={classes.card}>
        <div className={classes.head}>
          {photo !== null && <img className={classes.photo} src={photo} alt="" />}
          <div className={classes.who}>
            <p className={classes.brand} dir="auto">
              {library}
            </p>
            <p className={classes.name} dir="auto">
              {name}
            </p>
            <p className={classes.facts} dir="auto">
              {[department, batch].filter(Boolean).join(' · ')}
            </p>
          </div>
          <BarcodeSymbol
            symbol={qrCode(rollNumber)}
            label={t('profile.card.qr', { rollNumber })}
            className={classes.dots}
          />
        </div>
        {bars && (
          <BarcodeSymbol symbol={bars} label={t('profile.card.bars', { rollNumber })} className={classes.bars} />
        )}
        <p className={classes.number}>{rollNumber}</p>
      </Sheet>
      <p className={classes.hint}>{t('profile.card.hint')}</p>
      <Button
        fullWidth
        onClick={() => {
          window.print()
          onPrint?.()
        }}
      >
        {t('profile.card.print')}
      </Button>
    </>
  )
}
