/** Values of a form: what JSON holds. */
export type Values = { readonly [name: string]: unknown }

const isRecord = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether two values hold the same; the order of names is of no account. */
export function same(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((value, index) => same(value, other[index]))
  }
  if (isRecord(one) && isRecord(other)) {
    return [...new Set([...Object.keys(one), ...Object.keys(other)])].every((name) => same(one[name], other[name]))
  }
  return one === other
}

/** A value that both changed: its place, and what the other one saved. */
export type Conflict = { place: string; theirs: unknown }

/**
 * Sets what stands in a form against what somebody else saved since `base` was loaded. What was not touched takes over
 * theirs; what both changed stays as it is typed and is told. A list that has become longer or shorter is one value.
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
