import { lazyChunk } from '../../lib/lazyChunk'
import type { DeclareLostProps } from './DeclareLost'
import { LazyPart } from './LazyPart'

const Lost = lazyChunk('declare-lost', () => import('./DeclareLost'))

/** Dialog that declares a copy lost; its code is loaded on first use. */
export const DeclareLost = (props: DeclareLostProps) => (
  <LazyPart part={Lost} onClose={props.onClose}>
    <Lost {...props} />
  </LazyPart>
)
