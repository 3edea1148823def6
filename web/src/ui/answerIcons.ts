import { BookmarkCheck, Check, CircleHelp, Info, OctagonX, TriangleAlert } from 'lucide-react'

/** Icons for the classes of desk answers, in addition to their colours. */
export const answerIcons = {
  ok: Check,
  attention: TriangleAlert,
  /** A copy to be kept for a reader. */
  keep: BookmarkCheck,
  ask: CircleHelp,
  stop: OctagonX,
  neutral: Info,
} as const
