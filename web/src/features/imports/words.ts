/** Texts and addresses of a kind of import. */
export type ImportWords = {
  title: (state: 'running' | 'stopped' | 'done' | 'undoing' | 'undone') => string
  added: () => string
  known: () => string
  /** Name of the number of rows that changed what was there. */
  more?: () => string
  /** Name of the number of rejected rows, if the file has no rows. */
  rejected?: () => string
  /** Progress, if the file has no rows. */
  progress?: (done: number, rows: number) => string
  /** Address of the screen. */
  screen: () => string
  /** Address of an import's page. */
  address: (id: number) => string
  /** Link to what was imported. */
  result: () => { to: string; text: string }
  undone: (count: number) => string
  inUse: (count: number) => string
  /** Queries that are out of date once an import is done or undone. */
  changes: readonly (readonly string[])[]
}
