import type { LucideIcon } from 'lucide-react'
import type { ComponentType } from 'react'
import type { Capability, Role } from '../api/types'
import type { MessagePart } from '../messages/types'
import type { PlainKey } from './messages'

/** The code of a screen, in a chunk of its own. Named as a return type, it keeps the screen's types out of the table. */
export type Lazy = Promise<{ default: ComponentType }>

/** `visitor`: of no use after sign-in, although the address stays open to all. `person`: anyone who is signed in. */
type Audience = 'everybody' | 'visitor' | 'person' | Role

export type Screen = {
  /** Below the base path, as the router reads it; `:id` is its only parameter. */
  path: `/${string}`
  for: Audience
  load: () => Lazy
  /** The parts of the messages that it says, beside those of the frame; the linter knows which. */
  words?: readonly MessagePart[]
  /** The capability that a librarian needs to use it. */
  may?: Capability
  /** The text of a link to it; a screen without one is reached from others. */
  label?: PlainKey
  icon?: LucideIcon
  /** Position among the links, lowest first. */
  at?: number
  /** Place of its link: the navigation bar, the bar's group `More`, or only the palette. */
  place?: 'bar' | 'more'
  /** A list keeps its scroll position, whichever link leads back to it; other screens begin at their top. */
  list?: true
  /** A further check before it opens (`app/guards.ts`). */
  guard?: 'stored-student' | 'own-detail'
}

/** The screens of one feature, by name. */
export type Screens = Readonly<Record<string, Screen>>
