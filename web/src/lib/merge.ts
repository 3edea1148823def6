/** JSON values of a form. */
export type Values = { readonly [name: string]: unknown }

const isRecord = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Deep equality; the order of names does not matter. */
export function same(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((value, index) => same(value, other[index]))
  }
  if (isRecord(one) && isRecord(other)) {
    return [...new Set([...Object.keys(one), ...Object.keys(other)])].every((name) => same(one[name], other[name]))
  }
  return one === other
}

/** A value that both librarians changed: its place, and the saved value. */
export type Conflict = { place: string; theirs: unknown }

/**
 * Merges a form with what another librarian saved since `base` was loaded. Untouched values take the saved ones; values
 * changed by both keep the form's and are reported. A list whose length changed counts as one value.
 */
export function merge<V>(base: V, theirs: V, mine: V): { values: V; conflicts: Conflict[] } {
  const conflicts: Conflict[] = []
  const meet = (before: unknown, other: unknown, own: unknown, place: string): unknown => {
    if (same(before, own)) return other
    if (same(before, other) || same(other, own)) return own
    if (isRecord(before) && isRecord(other) && isRecord(own)) {
      const names = [...new Set([...Object.keys(other), ...Object.keys(own)])]
      const met = names.map((name) => [
        name,
        meet(before[name], other[name], own[name], place === '' ? name : `${place}.${name}`),
      ])
      return Object.fromEntries(met.filter(([, value]) => value !== undefined))
    }
    if (Array.isArray(before) && Array.isArray(other) && Array.isArray(own)) {
      if (before.length === other.length && before.length === own.length) {
        return own.map((value, index) => meet(before[index], other[index], value, `${place}[${index}]`))
      }
    }
    conflicts.push({ place, theirs: other })
    return own
  }
  return { values: meet(base, theirs, mine, '') as V, conflicts }
}
