import type { ScanProblem, ScanView } from './scanner'

export const PROBLEMS: Readonly<Record<ScanProblem, string>> = {
  insecure: 'Camera access is only supported in secure context like https or localhost.',
  unsupported: 'Camera streaming not supported by the browser.',
  noCamera: 'No camera found. Choose a picture of your card, or type the roll number.',
  denied: 'Camera access is blocked. Allow it from the address bar, then try again.',
  inUse: 'Another app is using the camera. Close it, then try again.',
  lost: 'The camera was disconnected. Reconnect it, then try again.',
  failed: 'The camera could not be started. Please try again.',
  decoder: 'The scanner could not be loaded. Check your connection and try again.',
}

/** The one sentence in the scanner's header (R-SCAN-8). */
export function headline(view: ScanView): string {
  if (view.problem) return PROBLEMS[view.problem]
  if (view.opening) return 'Starting the camera…'
  if (view.box === null) return 'This window is too small to scan.'
  switch (view.state) {
    case 'notStarted':
      return 'The camera is off.'
    case 'paused':
      return 'Scanner paused'
    case 'scanning':
      if (view.torchProblem) return `Failed to turn ${view.torchProblem} torch.`
      return 'Point the camera at the barcode on your card.'
  }
}
