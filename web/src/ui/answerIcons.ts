import { BookmarkCheck, Check, CircleHelp, Info, OctagonX, TriangleAlert } from 'lucide-react'

/** Icon of the class of a desk answer, besides its colour. */
export const answerIcons = {
  ok: Check,
  attention: TriangleAlert,
  /** A copy to be kept for a reader. */
  keep: BookmarkCheck,
  ask: CircleHelp,
  stop: OctagonX,
  neutral: Info,
} as const
