export { ChangeItem } from './ChangeItem'
export { UndoChange } from './UndoChange'
