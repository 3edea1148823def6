import type { ComponentProps } from 'react'
import { Chunk, lazyChunk } from '../../lib/lazyChunk'
import type { NoDuesDialog } from './NoDues'

const dialogs = () => import('./ClassNoDues')
const OfClass = lazyChunk('no-dues', dialogs)
const Slips = lazyChunk('slips', () => import('./CodeSlips'))
const OfPerson = lazyChunk('no-dues', async () => ({ default: (await dialogs()).NoDuesDialog }))

/** Certificates of a class; their code is loaded on first use. */
export function NoDuesOfClass(props: ComponentProps<typeof OfClass>) {
  return (
    <Chunk part={OfClass} onFailed={props.onClose}>
      <OfClass {...props} />
    </Chunk>
  )
}

/** Sign-in codes of a class, as slips. */
export function SlipsOfClass(props: ComponentProps<typeof Slips>) {
  return (
    <Chunk part={Slips} onFailed={props.onClose}>
      <Slips {...props} />
    </Chunk>
  )
}

/** Certificate of one person. */
export function NoDuesOfPerson(props: ComponentProps<typeof NoDuesDialog>) {
  return (
    <Chunk part={OfPerson} onFailed={props.onClose}>
      <OfPerson {...props} />
    </Chunk>
  )
}
