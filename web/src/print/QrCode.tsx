import { BarcodeSymbol } from './BarcodeSymbol'
import classes from './QrCode.module.css'
import { qrCode } from './symbol'

type QrCodeProps = {
  text: string
  /** Description for screen readers. */
  label: string
  /** Larger, for a distant camera. */
  large?: boolean
}

/** A QR code to be read by a phone. */
export function QrCode({ text, label, large = false }: QrCodeProps) {
  return (
    <div className={large ? `${classes.code} ${classes.large}` : classes.code}>
      <BarcodeSymbol symbol={qrCode(text)} label={label} className={classes.dots} />
    </div>
  )
}
