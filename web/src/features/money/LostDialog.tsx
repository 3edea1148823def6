import { lazyChunk } from '../../lib/lazyChunk'
import type { DeclareLostProps } from './DeclareLost'
import { LazyPart } from './LazyPart'

const Lost = lazyChunk('declare-lost', () => import('./DeclareLost'))

/** Loads the dialog that declares a copy lost when it is first shown. */
export const DeclareLost = (props: DeclareLostProps) => (
  <LazyPart part={Lost} onClose={props.onClose}>
    <Lost {...props} />
  </LazyPart>
)
