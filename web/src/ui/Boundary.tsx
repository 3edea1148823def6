import { Component, type ReactNode } from 'react'

type BoundaryProps = { children: ReactNode; fallback?: ReactNode }

/** A part of a screen that may fail by itself, such as one that is loaded late: the rest, and what was typed, stays. */
export class Boundary extends Component<BoundaryProps, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true }
  }

  override render(): ReactNode {
    return this.state.failed ? this.props.fallback : this.props.children
  }
}
