import { tabStorage } from './storage'

/** What is typed and not yet saved, kept over a reload of this tab. */
export type Draft<T> = { read: () => T | null; write: (values: T) => void; remove: () => void }

/**
 * The draft of a form. Every person has drafts of their own, as the tab may change hands; one that an older version of
 * the page wrote in another shape is not read.
 */
export function draftOf<T extends object>(uid: number, form: string, sample: T): Draft<T> {
  const key = `draft ${uid} ${form}`
  return {
    read() {
      try {
        const value: unknown = JSON.parse(tabStorage.read(key) ?? 'null')
        return fits(value, sample) ? value : null
      } catch {
        return null
      }
    },
    write: (values) => tabStorage.write(key, JSON.stringify(values)),
    remove: () => tabStorage.remove(key),
  }
}

/** Removes what was typed and not saved from this tab: a person who signs out leaves none of it to the next (ASVS 14.3.1). */
export function forgetDrafts(): void {
  try {
    const drafts = Object.keys(sessionStorage).filter((key) => key.startsWith('draft '))
    for (const key of drafts) sessionStorage.removeItem(key)
  } catch {
    // Blocked: nothing was kept over a reload.
  }
}

/**
 * Whether a value has the fields of a sample, each of its kind; a number may be blank while it is typed, and a list is of
 * any length.
 */
function fits<T>(value: unknown, sample: T): value is T {
  if (Array.isArray(sample)) {
    const [one]: unknown[] = sample
    return Array.isArray(value) && value.every((part) => fits(part, one))
  }
  if (typeof sample === 'object' && sample !== null) {
    if (typeof value !== 'object' || value === null) return false
    return Object.entries(sample).every(([field, part]) => fits((value as Record<string, unknown>)[field], part))
  }
  return typeof value === typeof sample || (typeof sample === 'number' && value === '')
}
