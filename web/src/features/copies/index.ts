export { BarcodeList } from './BarcodeList'
export { withScanned } from './barcodes'
export { CopiesPanel } from './CopiesPanel'
export { stateText } from './stateText'
