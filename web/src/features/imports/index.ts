export { ColumnChooser } from './ColumnChooser'
export { saveFile } from './saveFile'
