import { lazy, type ComponentType } from 'react'
import { loadChunk } from './chunks'

/**
 * A part of a screen that is loaded when it is first shown. Where it did not arrive, the boundary around it says so and calls
 * `again` in its `onError`: it is asked for anew the next time it is shown. (Not as soon as it failed: React renders a part
 * once more to learn that it failed, and would find one that is on its way.)
 */
export function lazyChunk<Props extends object>(
  chunk: string,
  load: () => Promise<{ default: ComponentType<Props> }>,
): ComponentType<Props> & { again: () => void } {
  const make = () => lazy(() => loadChunk(chunk, load))
  let Part = make()
  function LazyPart(props: Props) {
    return <Part {...props} />
  }
  return Object.assign(LazyPart, {
    again: () => {
      Part = make()
    },
  })
}
