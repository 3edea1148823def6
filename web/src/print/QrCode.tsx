import { Drawn } from './Drawn'
import classes from './QrCode.module.css'
import { qrCode } from './symbol'

type QrCodeProps = {
  text: string
  /** What it is, for whoever cannot see it. */
  label: string
  /** For a camera that is further away. */
  large?: boolean
}

/** A QR code for somebody's phone. */
export function QrCode({ text, label, large = false }: QrCodeProps) {
  return (
    <div className={large ? `${classes.code} ${classes.large}` : classes.code}>
      <Drawn symbol={qrCode(text)} label={label} className={classes.dots} />
    </div>
  )
}
