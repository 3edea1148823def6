import { lazyChunk } from '../../lib/lazyChunk'
import { LazyPart } from './LazyPart'
import type { PayProps } from './Pay'

const Pay = lazyChunk('pay', () => import('./Pay'))

/** Loads the dialog that takes a payment when it is first shown. */
export const TakePayment = (props: PayProps) => (
  <LazyPart part={Pay} onClose={props.onClose}>
    <Pay {...props} />
  </LazyPart>
)
