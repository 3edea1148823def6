import { Component, lazy, Suspense, type ComponentType, type ReactNode } from 'react'
import { loadChunk } from './chunks'

/** Creates a component that is loaded when first shown, inside a `Chunk`. */
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
  /** Shown until the part has loaded. */
  waiting?: ReactNode
  /** Shown if the part failed to load or to render; a function gets a callback that loads it again. */
  failed?: ReactNode | ((retry: () => void) => ReactNode)
  onFailed?: () => void
  children: ReactNode
}

/**
 * Boundary around a lazy part. A part that failed to load is requested again when it is shown the next time. An
 * immediate retry would fail: React renders the part once more to see the failure, and would find a pending request.
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
    if (!this.state.failed) return <Suspense fallback={waiting}>{children}</Suspense>
    return typeof failed === 'function' ? failed(() => this.setState({ failed: false })) : failed
  }
}
