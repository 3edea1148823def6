import { Chunk, lazyChunk } from '../../lib/lazyChunk'

const ClassNoDues = lazyChunk('class-no-dues', () => import('./ClassNoDues'))

/** Certificates of a class. What draws them is loaded when they are first asked for. */
export function NoDuesOfClass(props: { batch: string; onClose: () => void }) {
  return (
    <Chunk part={ClassNoDues} onFailed={props.onClose}>
      <ClassNoDues {...props} />
    </Chunk>
  )
}
