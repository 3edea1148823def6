import type { ComponentProps } from 'react'
import { Chunk, lazyChunk } from '../../lib/lazyChunk'

// In the chunk of the screen, which draws the same pages.
const Cards = lazyChunk('cards', async () => ({ default: (await import('./LabelsScreen')).CardsDialog }))

/** ID cards of a list of people. What draws them is loaded when they are first asked for. */
export function CardsOfList(props: ComponentProps<typeof Cards>) {
  return (
    <Chunk part={Cards} onFailed={props.onClose}>
      <Cards {...props} />
    </Chunk>
  )
}
