import { Component, lazy, Suspense, type ComponentType, type ReactNode } from 'react'
import { loadChunk } from './chunks'

/** A part of a screen that is loaded when it is first shown, within a `Chunk`. */
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

type ChunkProps = {
  part: { again: () => void }
  /** What stands here until it has arrived. */
  waiting?: ReactNode
  /** What stands here when it did not arrive, or broke. */
  failed?: ReactNode
  onFailed?: () => void
  children: ReactNode
}

/**
 * Around a part that is loaded when it is shown. One that did not arrive is asked for anew the next time it is shown. (Not as soon
 * as it failed: React renders a part once more to learn that it failed, and would find one that is on its way.)
 */
export class Chunk extends Component<ChunkProps> {
  override state = { failed: false }

  static getDerivedStateFromError = () => ({ failed: true })

  override componentDidCatch() {
    this.props.part.again()
    this.props.onFailed?.()
  }

  override render() {
    const { waiting, failed, children } = this.props
    return this.state.failed ? failed : <Suspense fallback={waiting}>{children}</Suspense>
  }
}
