import type { MouseEvent } from 'react'

/** Overlay of a dialog: the second press of a double click on what opened the dialog does not close it. */
export const overlay = {
  backgroundOpacity: 0.45,
  onClickCapture(event: MouseEvent) {
    if (event.detail > 1) event.stopPropagation()
  },
}
