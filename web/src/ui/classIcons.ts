import { Check, CircleHelp, Info, OctagonX, TriangleAlert } from 'lucide-react'

/** How an answer of the desk is meant, as a sign beside its colour. */
export const classIcons = {
  ok: Check,
  attention: TriangleAlert,
  ask: CircleHelp,
  stop: OctagonX,
  neutral: Info,
} as const
