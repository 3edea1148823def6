/** The scanner's one door: other features load it lazily from here. */
export { ScannerPanel as default } from './ScannerPanel'
