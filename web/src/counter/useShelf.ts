import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { uidOf } from '../api/account'
import { findCopy, INVALIDATED_BY_MOVE, shelveCopy } from '../api/copies'
import { useOwner } from '../api/draft'
import { keys } from '../api/keys'
import { sharedStore } from '../lib/outboxStore'
import { Shelf, type ShelfResult } from './shelf'
import { play } from './sounds'

const shelves = new Map<number, Shelf>()

/** Returns the class of a result; a copy kept for a reader must not go to the shelf. */
export function resultClass(one: ShelfResult): 'ok' | 'keep' | 'stop' | 'neutral' {
  if (one.kind === 'failed') return 'stop'
  const { before, after } = one.shelving
  if (!before || !after) return 'stop'
  if (after.hold) return 'keep'
  return before.state === 'on-shelf' ? 'neutral' : 'ok'
}

function shelfOf(uid: number, queries: QueryClient): Shelf {
  const known = shelves.get(uid)
  if (known) return known
  const shelf = new Shelf({
    owner: String(uid),
    store: sharedStore(),
    find: findCopy,
    shelve: shelveCopy,
    isOwners: () => uidOf(queries) === uid,
    onUnknown: () => play('stop'),
    onShelved: (one) => {
      play(resultClass(one))
      for (const queryKey of INVALIDATED_BY_MOVE) void queries.invalidateQueries({ queryKey })
    },
  })
  shelves.set(uid, shelf)
  queries.getQueryCache().subscribe(({ type, query }) => {
    if (query.queryKey[0] !== keys.session[0] || type !== 'updated') return
    if (shelf.snapshot().line === 'signed-out' && uidOf(queries) === uid) void shelf.resume()
  })
  return shelf
}

/** Returns this page's shelf and its state. */
export function useShelf() {
  const queries = useQueryClient()
  const uid = useOwner()
  const [shelf] = useState(() => shelfOf(uid, queries))
  useEffect(() => void shelf.resume(), [shelf])
  return { ...useSyncExternalStore(shelf.subscribe, shelf.snapshot), shelf }
}
