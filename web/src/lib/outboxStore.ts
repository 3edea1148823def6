import { newKey } from './newKey'
import { tabStorage } from './storage'

/** A task of the queue: what one press or scan asks of the server, as data. */
export type Entry<T> = {
  /** Its idempotency key from the press on: the server does the task once, however often it is sent. */
  key: string
  /** Moment of the press, in milliseconds since 1970. */
  at: number
  /** Words or code that name the task on the screen. */
  label: string
  task: T
  /** Lane in which the task is stored. */
  lane: string
  /** The request as it was first sent. A repeat sends the same, whatever the screen shows by then. */
  sent?: unknown
  sentAt?: number
  /** The page that asked for it keeps it; it is not stored. */
  isVolatile?: boolean
  /** The task was set apart or left by another page, so its answer says nothing about the present of this page. */
  late?: true
}

/** One stored value: a task of a lane, or a note that its screen keeps beside the tasks. */
export type Row = {
  id: [box: string, owner: string, lane: string, kind: 'task' | 'note', name: string]
  /** Rows are read in this order. */
  order: number
  value: unknown
}

/** A row to be put, or one to be removed. */
export type Write = { id: Row['id']; row: Row | null }

export type Store = {
  /** Rows of a box, of one owner or of all. */
  read: (box: string, owner?: string) => Promise<Row[]>
  /** Begins to write at once, in one transaction; a failure is reported and changes nothing else. */
  write: (writes: readonly Write[]) => void
}

/**
 * The tasks of one page: each page has its own reader at the counter, so the tasks of two pages are never mixed. A lane
 * whose page is gone goes over to the next page of its owner.
 */
export type Lane<T> = {
  name: string
  entries: Entry<T>[]
  unknown: Entry<T>[]
  notes: ReadonlyMap<string, unknown>
  /** Number of tasks that this version does not know. They stay as they are. */
  newer: number
}

/** A store that lives as long as the page, for tests and where the browser keeps nothing. */
export function memoryStore(rows = new Map<string, Row>()): Store {
  return {
    read: (box, owner) =>
      Promise.resolve(
        [...rows.values()]
          .filter(({ id }) => id[0] === box && (owner === undefined || id[1] === owner))
          .toSorted((a, b) => a.order - b.order),
      ),
    write(writes) {
      for (const { id, row } of writes) {
        if (row) rows.set(id.join(' '), row)
        else rows.delete(id.join(' '))
      }
    },
  }
}

const DATABASE = 'library-outbox'
const ROWS = 'rows'

/** A database that another page blocks must not stop the queue. */
const OPEN_MS = 3000

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    // Without a version, so that a database of a newer page opens too.
    const request = indexedDB.open(DATABASE)
    request.addEventListener('upgradeneeded', () => request.result.createObjectStore(ROWS, { keyPath: 'id' }))
    request.addEventListener('error', () => reject(request.error ?? new Error('IndexedDB did not open')))
    request.addEventListener('success', () => {
      const database = request.result
      // A later version of the page must not wait for this one.
      database.addEventListener('versionchange', () => database.close())
      resolve(database)
    })
  })
}

/** The browser's IndexedDB; without it, a store that lives as long as the page. */
export function browserStore(): Store {
  const memory = memoryStore()
  let database: IDBDatabase | null = null
  const opened: Promise<IDBDatabase | null> = Promise.race([
    typeof indexedDB === 'undefined' ? Promise.reject(new Error('There is no IndexedDB')) : open(),
    new Promise<never>((_resolve, reject) => {
      setTimeout(() => reject(new Error('IndexedDB did not open in time')), OPEN_MS)
    }),
  ]).catch((error: unknown) => {
    console.warn('Tasks are not kept over a reload', error)
    return null
  })
  void opened.then((it) => (database = it))

  function put(it: IDBDatabase, writes: readonly Write[]): void {
    try {
      const change = it.transaction(ROWS, 'readwrite')
      const rows = change.objectStore(ROWS)
      for (const { id, row } of writes) {
        if (row) rows.put(row)
        else rows.delete(id)
      }
      // Without waiting for each answer: the page may end in the next moment.
      change.commit()
      change.addEventListener('abort', () => console.warn('A task was not stored', change.error))
    } catch (error) {
      console.warn('A task was not stored', error)
    }
  }

  return {
    async read(box, owner) {
      const it = await opened
      if (!it) return memory.read(box, owner)
      const from = owner === undefined ? [box] : [box, owner]
      return new Promise((resolve, reject) => {
        // An array comes after every text.
        const request = it
          .transaction(ROWS)
          .objectStore(ROWS)
          .getAll(IDBKeyRange.bound(from, [...from, []]))
        request.addEventListener('success', () =>
          resolve((request.result as Row[]).toSorted((a, b) => a.order - b.order)),
        )
        request.addEventListener('error', () => reject(request.error ?? new Error('IndexedDB was not read')))
      })
    },
    write(writes) {
      if (database) put(database, writes)
      else void opened.then((it) => (it ? put(it, writes) : memory.write(writes)))
    },
  }
}

let browsers: Store | null = null
/** The one store of this page. */
export const sharedStore = (): Store => (browsers ??= browserStore())

/** How long a page that is loaded anew waits for its own lane, which the page before may not have let go of yet. */
const RELOAD_MS = 500

/**
 * Holds a lane for as long as this page lives; false while another page holds it. Browsers give locks to https and to
 * localhost only. Without them two pages may send the same task, which is harmless: both send the same request under the
 * same key, and the server does it once.
 */
function claim(lane: string, patience = 0): Promise<boolean> {
  const locks = typeof navigator === 'undefined' ? undefined : (navigator.locks as LockManager | undefined)
  if (!locks) return Promise.resolve(true)
  const whether = patience > 0 ? { signal: AbortSignal.timeout(patience) } : { ifAvailable: true }
  return new Promise((resolve) => {
    locks
      .request(`library-outbox ${lane}`, whether, (lock) => {
        resolve(lock !== null)
        return lock ? new Promise<never>(() => undefined) : undefined
      })
      .catch(() => resolve(false))
  })
}

const laneKey = (box: string, owner: string) => `outbox ${box} ${owner}`

/** The lane that this tab had before it was loaded anew, or a new one. */
export function ownLane(box: string, owner: string): string {
  const name = tabStorage.read(laneKey(box, owner)) ?? newKey()
  tabStorage.write(laneKey(box, owner), name)
  return name
}

/** Claims this tab's lane and those of pages that are gone, and reads what stands in them; this tab's own is the last. */
export async function claimLanes<T>(
  store: Store,
  box: string,
  owner: string,
  knows: (task: unknown) => task is T,
): Promise<{ own: string; lanes: Lane<T>[] }> {
  let own = ownLane(box, owner)
  // A duplicated tab has the name of the first one.
  if (!(await claim(own, RELOAD_MS))) {
    own = newKey()
    tabStorage.write(laneKey(box, owner), own)
    await claim(own)
  }
  // A store that cannot be read must not stop the queue.
  const rows = await store.read(box, owner).catch((error: unknown) => {
    console.warn('The stored tasks were not read', error)
    return []
  })
  const lanes: Lane<T>[] = []
  for (const name of new Set([...rows.map(({ id }) => id[2]).filter((lane) => lane !== own), own])) {
    // oxlint-disable-next-line no-await-in-loop -- a handful at most, in their order
    if (name === own || (await claim(name))) lanes.push(laneIn(rows, name, knows))
  }
  return { own, lanes }
}

function laneIn<T>(rows: readonly Row[], name: string, knows: (task: unknown) => task is T): Lane<T> {
  const lane: Lane<T> & { notes: Map<string, unknown> } = {
    name,
    entries: [],
    unknown: [],
    notes: new Map(),
    newer: 0,
  }
  for (const { id, value } of rows) {
    if (id[2] !== name) continue
    if (id[3] === 'note') lane.notes.set(id[4], value)
    else if (isEntry(value, knows)) (value.isUnknown ? lane.unknown : lane.entries).push(value)
    else lane.newer += 1
  }
  return lane
}

function isEntry<T>(value: unknown, knows: (task: unknown) => task is T): value is Entry<T> & { isUnknown: boolean } {
  if (typeof value !== 'object' || value === null) return false
  const { key, at, label, lane, task } = value as Partial<Record<keyof Entry<T>, unknown>>
  return (
    typeof key === 'string' &&
    typeof at === 'number' &&
    typeof label === 'string' &&
    typeof lane === 'string' &&
    knows(task)
  )
}

/** Number of tasks in this browser that wait until their own person has signed in. */
export async function tasksOfOthers(store: Store, box: string, owner: string): Promise<number> {
  const rows = await store.read(box).catch(() => [])
  return rows.filter(({ id }) => id[1] !== owner && id[3] === 'task').length
}

/** Whether this person has tasks in the store. */
export async function hasTasks(store: Store, box: string, owner: string): Promise<boolean> {
  const rows = await store.read(box, owner).catch(() => [])
  return rows.some(({ id }) => id[3] === 'task')
}

/** Removes what a person's screens keep beside the tasks: after signing out, only what must still be sent stays. */
export async function forgetNotes(store: Store, box: string, owner: string): Promise<void> {
  const rows = await store.read(box, owner).catch(() => [])
  const lanes = new Set(rows.filter(({ id }) => id[3] === 'task').map(({ id }) => id[2]))
  const isNeeded = ({ id: [, , lane, , name] }: Row) => lanes.has(lane) && !name.startsWith('told ')
  store.write(rows.filter((row) => row.id[3] === 'note' && !isNeeded(row)).map(({ id }) => ({ id, row: null })))
}
