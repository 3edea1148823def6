import type { EntryKind } from '../../api/imports'
import { keys } from '../../api/keys'
import { t } from '../../lib/messages'
import { paths } from '../../screens'
import type { ImportWords } from './words'

/** Texts and addresses of the imports of people. */
export const PEOPLE_WORDS: ImportWords = {
  title: (state) => t(`people.entries.people.${state}`),
  added: () => t('people.entries.people.added'),
  known: () => t('people.entries.people.known'),
  more: () => t('people.entries.people.changed'),
  screen: () => paths.importPeople(),
  address: (id: number) => `${paths.importPeople()}?import=${String(id)}`,
  result: () => ({ to: paths.people(), text: t('people.import.toPeople') }),
  undone: (count: number) => t('people.entries.people.undoWhat', { count }),
  inUse: (count: number) => t('people.entries.people.inUse', { count }),
  changes: [keys.people, keys.changes],
}

/** Texts and addresses of the imports of photos. */
export const PHOTO_WORDS: ImportWords = {
  title: (state) => t(`people.importPhotos.${state}`),
  added: () => t('people.importPhotos.added'),
  known: () => t('people.importPhotos.known'),
  more: () => t('people.importPhotos.replaced'),
  rejected: () => t('people.importPhotos.rejectedFiles'),
  progress: (done, rows) => t('people.importPhotos.progress', { done, rows }),
  screen: () => `${paths.importPeople()}?tab=photos`,
  address: (id: number) => `${paths.importPeople()}?tab=photos&import=${String(id)}`,
  result: () => ({ to: paths.people(), text: t('people.import.toPeople') }),
  undone: (count: number) => t('people.importPhotos.undoWhat', { count }),
  inUse: () => '',
  changes: [keys.people, keys.changes],
}

/** Texts and addresses of the imports in which each row makes one entry. */
export const ENTRY_WORDS: Readonly<Record<EntryKind, ImportWords>> = {
  loans: {
    title: (state) => t(`people.entries.loans.${state}`),
    added: () => t('people.entries.loans.added'),
    known: () => t('people.entries.known'),
    screen: () => `${paths.importPeople()}?tab=loans`,
    address: (id: number) => `${paths.importPeople()}?tab=loans&import=${String(id)}`,
    result: () => ({ to: paths.fine(), text: t('people.entries.loans.see') }),
    undone: (count: number) => t('people.entries.loans.undoWhat', { count }),
    inUse: (count: number) => t('people.entries.loans.inUse', { count }),
    changes: [keys.books, keys.loans, keys.people],
  },
  charges: {
    title: (state) => t(`people.entries.charges.${state}`),
    added: () => t('people.entries.charges.added'),
    known: () => t('people.entries.known'),
    screen: () => `${paths.importPeople()}?tab=charges`,
    address: (id: number) => `${paths.importPeople()}?tab=charges&import=${String(id)}`,
    result: () => ({ to: paths.money(), text: t('people.entries.charges.see') }),
    undone: (count: number) => t('people.entries.charges.undoWhat', { count }),
    inUse: (count: number) => t('people.entries.charges.inUse', { count }),
    changes: [keys.money, keys.people],
  },
}
