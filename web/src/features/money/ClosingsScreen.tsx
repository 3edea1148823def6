import { useParams } from 'react-router'
import { ClosingList } from './ClosingList'
import { ClosingPaper } from './ClosingPaper'

// One chunk with the closings, whose sheet it shows.
export { CloseDialog } from './CloseDialog'

/** Closings of the till: the list, or the one that the address names. One chunk for the two. */
export default function ClosingsScreen() {
  return useParams()['id'] === undefined ? <ClosingList /> : <ClosingPaper />
}
