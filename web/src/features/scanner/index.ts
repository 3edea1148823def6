/** Entry of the scanner; other features load it lazily from here. */
export { CodeCamera } from './CodeCamera'
export { ScannerPanel as default } from './ScannerPanel'
