import type { ComponentProps } from 'react'
import { Chunk, lazyChunk } from '../../lib/lazyChunk'

// Imported from the chunk of the screen, which draws the same pages.
const Cards = lazyChunk('cards', async () => ({ default: (await import('./LabelsScreen')).CardsDialog }))

/** ID cards of a list of people; the code that draws them is loaded on first use. */
export function CardsOfList(props: ComponentProps<typeof Cards>) {
  return (
    <Chunk part={Cards} onFailed={props.onClose}>
      <Cards {...props} />
    </Chunk>
  )
}
