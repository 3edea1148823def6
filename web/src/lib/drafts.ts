import { tabStorage } from './storage'

/** Unsaved input, which survives a reload of this tab. */
export type Draft<T> = { read: () => T | null; write: (values: T) => void; remove: () => void }

/**
 * Returns the draft of a form. Each person has their own drafts, since the tab may change hands. A draft of another
 * shape, written by an older version of the page, is ignored.
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

/** Removes all drafts from this tab, so that a person who signs out leaves none to the next (ASVS 14.3.1). */
export function forgetDrafts(): void {
  try {
    const drafts = Object.keys(sessionStorage).filter((key) => key.startsWith('draft '))
    for (const key of drafts) sessionStorage.removeItem(key)
  } catch {
    // Storage is blocked, so there are no drafts.
  }
}

/**
 * True if a value has the fields of a sample, each of the same type. A number may be blank while it is typed; a list
 * may have any length.
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
