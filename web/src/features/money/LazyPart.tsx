import type { ReactNode } from 'react'
import { Chunk } from '../../lib/lazyChunk'
import { t } from '../../lib/messages'
import { notify } from '../../lib/notify'

type LazyPartProps = { part: { again: () => void }; onClose: () => void; children: ReactNode }

/** Boundary for a lazy dialog; if it fails to load, says so and closes it. */
export function LazyPart({ part, onClose, children }: LazyPartProps) {
  const fail = () => {
    notify.failure(t('common.failed'))
    onClose()
  }
  return (
    <Chunk part={part} onFailed={fail}>
      {children}
    </Chunk>
  )
}
