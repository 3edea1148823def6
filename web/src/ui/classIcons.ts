import { Check, CircleHelp, Info, OctagonX, TriangleAlert } from 'lucide-react'

/** Icon of the class of a desk answer, besides its colour. */
export const classIcons = {
  ok: Check,
  attention: TriangleAlert,
  ask: CircleHelp,
  stop: OctagonX,
  neutral: Info,
} as const
