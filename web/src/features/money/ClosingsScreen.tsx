import { useParams } from 'react-router'
import { ClosingList } from './ClosingList'
import { ClosingPaper } from './ClosingPaper'

// In the chunk of the closings, because the dialog shows a closing's sheet.
export { CloseDialog } from './CloseDialog'

/** Closings of the till: the list, or the closing in the address. Both are in one chunk. */
export default function ClosingsScreen() {
  return useParams()['id'] === undefined ? <ClosingList /> : <ClosingPaper />
}
