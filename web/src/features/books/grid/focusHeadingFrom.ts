import { focusHeading } from '../../../lib/focus'

/** Moves the focus to the heading from a control that disappears with the next results. */
export function focusHeadingFrom(control: HTMLElement): void {
  control.blur()
  focusHeading()
}
