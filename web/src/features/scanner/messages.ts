import type { ScanProblem, ScanView } from './scanner'

export const PROBLEMS: Readonly<Record<ScanProblem, string>> = {
  insecure: 'Camera access is only supported in secure context like https or localhost.',
  unsupported: 'Camera streaming not supported by the browser.',
  noCamera: 'No camera found. Choose a picture of the card, or type its number.',
  denied:
    'The camera is not allowed for this page. Allow it at the sign beside the address, or in the browser’s settings, and try again.',
  inUse: 'The camera is in use by another program. Close that program and try again.',
  lost: 'The camera was disconnected. Connect it and try again.',
  failed: 'The camera could not be started. Please try again.',
  decoder: 'The scanner could not be loaded. Check your connection and try again.',
}

/** The one sentence in the scanner's header (R-SCAN-8). */
export function headline(view: ScanView): string {
  if (view.problem) return PROBLEMS[view.problem]
  if (view.opening) return 'Starting the camera…'
  if (view.box === null)
    return 'There is no room to scan: the scan box would be smaller than 50 pixels. Make the window larger.'
  switch (view.state) {
    case 'notStarted':
      return 'The camera is off.'
    case 'paused':
      return 'Scanner paused'
    case 'scanning':
      if (view.torchProblem) return `Failed to turn ${view.torchProblem} torch.`
      return 'Hold the code of your card into the box.'
  }
}
