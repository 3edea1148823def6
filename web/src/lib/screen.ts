import type { LucideIcon } from 'lucide-react'
import type { ComponentType } from 'react'
import type { Capability, Role } from '../api/types'
import type { MessagePart } from '../messages/types'
import type { PlainKey } from './messages'

/** Module of a screen, in its own chunk. As an explicit return type it keeps the screens' types out of the table. */
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
  /** Label of its link; a screen without one is reached from other screens. */
  label?: PlainKey
  icon?: LucideIcon
  /** Position among the links, lowest first. */
  at?: number
  /**
   * Place of its link: `bar` is the navigation bar, `more` the bar's group `More`, `wide` the bar if there is room and
   * otherwise the group. Without a place the link is in the palette only.
   */
  place?: 'bar' | 'wide' | 'more'
  /**
   * True for a list, which keeps its scroll position whichever link leads back to it; other screens begin at their top.
   */
  list?: true
  /** Further check before the screen opens (`app/guards.ts`). */
  guard?: 'stored-student' | 'own-detail'
}

/** The screens of one feature, by name. */
export type Screens = Readonly<Record<string, Screen>>
