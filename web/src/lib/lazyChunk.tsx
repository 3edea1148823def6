import { lazy, useState, type ComponentType, type LazyExoticComponent } from 'react'
import { loadChunk } from './chunks'

/** A part of a screen that is loaded when it is first shown; one that did not arrive is asked for again the next time. */
export function lazyChunk<Props extends object>(
  chunk: string,
  load: () => Promise<{ default: ComponentType<Props> }>,
): ComponentType<Props> {
  let current: LazyExoticComponent<ComponentType<Props>> | null = null
  const make = () =>
    lazy(() =>
      loadChunk(chunk, load).catch((error: unknown) => {
        current = null
        throw error
      }),
    )
  return function LazyPart(props: Props) {
    const [Part] = useState(() => (current ??= make()))
    return <Part {...props} />
  }
}
