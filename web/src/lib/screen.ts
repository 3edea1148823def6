import type { LucideIcon } from 'lucide-react'
import type { ComponentType } from 'react'
import type { Capability, Role } from '../api/types'
import type { MessagePart } from '../messages/types'
import type { PlainKey } from './messages'

/** Code of a screen, in its own chunk. As a return type, it keeps the screen's types out of the table. */
export type Lazy = Promise<{ default: ComponentType }>

/** `visitor`: only useful before sign-in, although open to all. `person`: any signed-in user. */
type Audience = 'everybody' | 'visitor' | 'person' | Role

export type Screen = {
  /** Path below the base, as the router reads it; `:id` is its only parameter. */
  path: `/${string}`
  for: Audience
  load: () => Lazy
  /** Parts of the catalogue that the screen needs besides the frame's; the linter checks them. */
  words?: readonly MessagePart[]
  /** Capability that a librarian needs. */
  may?: Capability
  /** Text of its link; a screen without one is reached from others. */
  label?: PlainKey
  icon?: LucideIcon
  /** Position among the links, lowest first. */
  at?: number
  /**
   * Place of its link: the navigation bar, the bar's group `More`, `wide` for the one where there is room and else the
   * other, or only the palette.
   */
  place?: 'bar' | 'wide' | 'more'
  /** A list keeps its scroll position, whichever link leads back to it; other screens begin at their top. */
  list?: true
  /** A further check before it opens (`app/guards.ts`). */
  guard?: 'stored-student' | 'own-detail'
}

/** The screens of one feature, by name. */
export type Screens = Readonly<Record<string, Screen>>
