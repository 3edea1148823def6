import type { Person, PersonEdit, PersonForm } from '../../api/types'

/** Values of the form; blank means none. */
export type PersonValues = {
  name: string
  rollNumber: string
  email: string
  department: string
  batch: string
  category: string
  validUntil: string
  barred: { until: string; reason: string }
  phone: string
  guardianEmail: string
  guardianPhone: string
}

export const EMPTY: PersonValues = {
  name: '',
  rollNumber: '',
  email: '',
  department: '',
  batch: '',
  category: 'Student',
  validUntil: '',
  barred: { until: '', reason: '' },
  phone: '',
  guardianEmail: '',
  guardianPhone: '',
}

export const valuesOf = (person: Person): PersonValues => ({
  name: person.name,
  rollNumber: person.rollNumber ?? '',
  email: person.email ?? '',
  department: person.department ?? '',
  batch: person.batch ?? '',
  category: person.category,
  validUntil: person.validUntil ?? '',
  barred: person.barred ?? { until: '', reason: '' },
  phone: person.phone ?? '',
  guardianEmail: person.guardianEmail ?? '',
  guardianPhone: person.guardianPhone ?? '',
})

const orNone = (text: string): string | null => (text.trim() === '' ? null : text)

export const detailsOf = (values: PersonValues): PersonForm => ({
  name: values.name,
  rollNumber: orNone(values.rollNumber),
  email: orNone(values.email),
  department: orNone(values.department),
  batch: orNone(values.batch),
  category: values.category,
  validUntil: orNone(values.validUntil),
  barred: values.barred.until === '' ? null : values.barred,
  phone: orNone(values.phone),
  guardianEmail: orNone(values.guardianEmail),
  guardianPhone: orNone(values.guardianPhone),
})

/** Returns changed fields only, so that another librarian's changes to others stay. */
export function editOf(before: PersonValues, after: PersonValues): PersonEdit {
  const [was, is] = [detailsOf(before), detailsOf(after)]
  const names = Object.keys(is) as (keyof PersonForm)[]
  return Object.fromEntries(
    names.filter((name) => JSON.stringify(was[name]) !== JSON.stringify(is[name])).map((name) => [name, is[name]]),
  )
}
