export { ChooseFile } from './ChooseFile'
export { ColumnChooser } from './ColumnChooser'
export { saveFile } from './saveFile'
