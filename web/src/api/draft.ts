import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { useBeforeUnload } from 'react-router'
import { draftOf, type Draft } from '../lib/drafts'
import { sessionQuery } from './account'

/** An edit that is not saved yet: what stands in the form, what it began from, and the version of that. */
export type Edit<V> = { values: V; base: V; version: string }

/** The draft of an edit; `sample` is a module's constant, of the shape that its values have. */
export function useEditDraft<V extends object>(form: string, sample: V): Draft<Edit<V>> {
  const owner = useOwner()
  return useMemo(() => draftOf(owner, form, { values: sample, base: sample, version: '' }), [owner, form, sample])
}

/** Keeps an edit in its draft while it differs from what is saved; the browser asks before the tab is closed over it. */
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
 * Whose drafts these are. A session that ended leaves the form and what is typed into it where they were: they still belong
 * to whoever was signed in.
 */
export function useOwner(): number {
  const now = useQuery(sessionQuery).data?.user?.uid ?? null
  const [owner, setOwner] = useState(now)
  if (now !== null && now !== owner) setOwner(now)
  return now ?? owner ?? 0
}
