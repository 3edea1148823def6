import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { useBeforeUnload } from 'react-router'
import { draftOf, type Draft } from '../lib/drafts'
import { sessionQuery } from './account'

/** An unsaved edit: current values, the values it began from, and their version. */
export type Edit<V> = { values: V; base: V; version: string }

/** Returns the draft of an edit; `sample` is a module constant with the shape of the values. */
export function useEditDraft<V extends object>(form: string, sample: V): Draft<Edit<V>> {
  const owner = useOwner()
  return useMemo(() => draftOf(owner, form, { values: sample, base: sample, version: '' }), [owner, form, sample])
}

/**
 * Stores an edit as a draft while its values differ from the saved ones; the browser then asks before it closes the tab.
 */
export function useKeptEdit<V>(draft: Draft<Edit<V>>, { values, base, version }: Edit<V>, differs: boolean): void {
  useEffect(() => {
    if (differs) draft.write({ values, base, version })
    else draft.remove()
  }, [draft, differs, values, base, version])

  useBeforeUnload((event) => {
    if (differs) event.preventDefault()
  })
}

/**
 * Returns the owner of the drafts. After a session ends, form and input stay in place and still belong to the user who
 * was signed in.
 */
export function useOwner(): number {
  const now = useQuery(sessionQuery).data?.user?.uid ?? null
  const [owner, setOwner] = useState(now)
  if (now !== null && now !== owner) setOwner(now)
  return now ?? owner ?? 0
}
