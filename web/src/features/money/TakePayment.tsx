import { lazyChunk } from '../../lib/lazyChunk'
import { LazyPart } from './LazyPart'
import type { PayProps } from './Pay'

const Pay = lazyChunk('pay', () => import('./Pay'))

/** Dialog that takes a payment; its code is loaded on first use. */
export const TakePayment = (props: PayProps) => (
  <LazyPart part={Pay} onClose={props.onClose}>
    <Pay {...props} />
  </LazyPart>
)
