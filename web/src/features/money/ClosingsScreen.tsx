import { useParams } from 'react-router'
import { ClosingList } from './ClosingList'
import { ClosingPaper } from './ClosingPaper'

/** Closings of the till: the list, or the one that the address names. One chunk for the two. */
export default function ClosingsScreen() {
  return useParams()['id'] === undefined ? <ClosingList /> : <ClosingPaper />
}
