export { ChooseFile } from './ChooseFile'
export { ColumnChooser } from './ColumnChooser'
export { EntriesImport } from './EntriesImport'
export { saveFile } from './saveFile'
