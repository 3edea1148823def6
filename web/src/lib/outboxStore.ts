import { newKey } from './newKey'
import { tabStorage } from './storage'

/** Task of the queue: the request of one press or scan, as data. */
export type Entry<T> = {
  /** Idempotency key, created with the press. */
  key: string
  /** Time of the press, milliseconds since 1970. */
  at: number
  /** Text or code that names the task on the screen. */
  label: string
  task: T
  /** Lane in which the task is stored. */
  lane: string
  /** Request as first sent; retries send the same. */
  sent?: unknown
  sentAt?: number
  /** True for a task kept in memory only. */
  isVolatile?: boolean
  /** True for a task that was retried later or left by another page: its answer does not change the open reader. */
  late?: true
}

/** Stored value: a task of a lane, or a note that its screen keeps beside the tasks. */
export type Row = {
  id: [box: string, owner: string, lane: string, kind: 'task' | 'note', name: string]
  /** Sort key of the rows: time of the task or of the note, milliseconds. */
  order: number
  value: unknown
}

/** Row to put, or to remove. */
export type Write = { id: Row['id']; row: Row | null }

export type Store = {
  /** Returns the rows of a box, of one owner or of all. */
  read: (box: string, owner?: string) => Promise<Row[]>
  /** Starts one write transaction at once; a failure is only logged. */
  write: (writes: readonly Write[]) => void
}

/**
 * Tasks of one page. Each page has its own open reader, so tasks of two pages are never mixed. A lane whose page is
 * gone is taken over by the owner's next page.
 */
export type Lane<T> = {
  name: string
  entries: Entry<T>[]
  unknown: Entry<T>[]
  notes: ReadonlyMap<string, unknown>
  /** Number of tasks unknown to this version; they are left unchanged. */
  newer: number
}

/** In-memory store, for tests and for browsers without IndexedDB. */
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

/** Time limit for opening the database, milliseconds: a blocked database must not stop the queue. */
const OPEN_MS = 3000

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    // No version is requested, so that the database of a newer page opens, too.
    const request = indexedDB.open(DATABASE)
    request.addEventListener('upgradeneeded', () => request.result.createObjectStore(ROWS, { keyPath: 'id' }))
    request.addEventListener('error', () => reject(request.error ?? new Error('IndexedDB did not open')))
    request.addEventListener('success', () => {
      const database = request.result
      // Closes when a newer version of the page upgrades the database, which would otherwise wait.
      database.addEventListener('versionchange', () => database.close())
      resolve(database)
    })
  })
}

/** Name in the tab's storage of the writes that wait for the database: a reload may come before the database is open. */
const EARLY = 'outbox early'

function earlyWrites(): Write[] {
  try {
    const writes: unknown = JSON.parse(tabStorage.read(EARLY) ?? '[]')
    return Array.isArray(writes) ? (writes as Write[]) : []
  } catch {
    return []
  }
}

const listeners = new Set<() => void>()

/** Calls back when this page stores a task. Returns a function that unsubscribes. */
export function onTask(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Store in the browser's IndexedDB; without it, an in-memory store. */
export function browserStore(): Store {
  const memory = memoryStore()
  let database: IDBDatabase | null = null
  let isOpened = false
  const opened: Promise<IDBDatabase | null> = Promise.race([
    typeof indexedDB === 'undefined' ? Promise.reject(new Error('There is no IndexedDB')) : open(),
    new Promise<never>((_resolve, reject) => {
      setTimeout(() => reject(new Error('IndexedDB did not open in time')), OPEN_MS)
    }),
  ]).catch((error: unknown) => {
    console.warn('Tasks are not kept over a reload', error)
    return null
  })
  // Writes of this page, and of the page before a reload, for which the database was not open in time.
  let early = earlyWrites()
  void opened.then((it) => begin(it))

  function begin(it: IDBDatabase | null): void {
    database = it
    isOpened = true
    if (early.length === 0) return
    if (it) put(it, early)
    else memory.write(early)
    early = []
    tabStorage.remove(EARLY)
  }

  function put(it: IDBDatabase, writes: readonly Write[]): void {
    try {
      const change = it.transaction(ROWS, 'readwrite')
      const rows = change.objectStore(ROWS)
      for (const { id, row } of writes) {
        if (row) rows.put(row)
        else rows.delete(id)
      }
      // Commits without waiting for the requests, because the page may end at any moment.
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
        // IndexedDB sorts arrays after strings, so `[]` is an upper bound.
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
      if (writes.some(({ row }) => row?.id[3] === 'task')) for (const listener of listeners) listener()
      if (database) put(database, writes)
      else if (isOpened) memory.write(writes)
      else {
        early = [...early, ...writes]
        tabStorage.write(EARLY, JSON.stringify(early))
      }
    },
  }
}

let browsers: Store | null = null
/** Returns the page's only store. */
export const sharedStore = (): Store => (browsers ??= browserStore())

/**
 * Time that a page waits for the lock of its own lane, milliseconds: on a busy machine the page before a reload holds it
 * for over half a second. Only a duplicated tab waits to the end, once, because its original keeps the lock.
 */
const RELOAD_MS = 3000

/**
 * Locks a lane for the lifetime of this page; returns false if another page holds it. Browsers offer locks on https and
 * localhost only. Without locks two pages may send the same task, which is harmless: both send the same request under
 * the same key, and the server acts once.
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

/** Returns this tab's lane from before a reload, or a new one. */
export function ownLane(box: string, owner: string): string {
  const name = tabStorage.read(laneKey(box, owner)) ?? newKey()
  tabStorage.write(laneKey(box, owner), name)
  return name
}

/** Claims and reads this tab's lane and orphaned lanes; this tab's own comes last. */
export async function claimLanes<T>(
  store: Store,
  box: string,
  owner: string,
  knows: (task: unknown) => task is T,
): Promise<{ own: string; lanes: Lane<T>[] }> {
  let own = ownLane(box, owner)
  // A duplicated tab starts with the lane name of the original, which holds its lock.
  if (!(await claim(own, RELOAD_MS))) {
    own = newKey()
    tabStorage.write(laneKey(box, owner), own)
    await claim(own)
  }
  // An unreadable store must not stop the queue.
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

/** Returns the tasks of a box in this browser, of all pages, of one owner or of all. */
export async function storedTasks<T>(
  store: Store,
  box: string,
  knows: (task: unknown) => task is T,
  owner?: string,
): Promise<Entry<T>[]> {
  const rows = await store.read(box, owner).catch(() => [])
  return rows.flatMap(({ value }) => (isEntry(value, knows) ? [value] : []))
}

/** Returns the number of tasks in this browser that wait for other persons. */
export async function tasksOfOthers(store: Store, box: string, owner: string): Promise<number> {
  const rows = await store.read(box).catch(() => [])
  return rows.filter(({ id }) => id[1] !== owner && id[3] === 'task').length
}

/** Returns true if this person has tasks in the store. */
export async function hasTasks(store: Store, box: string, owner: string): Promise<boolean> {
  const rows = await store.read(box, owner).catch(() => [])
  return rows.some(({ id }) => id[3] === 'task')
}

/** Removes a person's notes, at sign-out; unsent tasks stay. */
export async function forgetNotes(store: Store, box: string, owner: string): Promise<void> {
  const rows = await store.read(box, owner).catch(() => [])
  const lanes = new Set(rows.filter(({ id }) => id[3] === 'task').map(({ id }) => id[2]))
  const isNeeded = ({ id: [, , lane, , name] }: Row) => lanes.has(lane) && !name.startsWith('told ')
  store.write(rows.filter((row) => row.id[3] === 'note' && !isNeeded(row)).map(({ id }) => ({ id, row: null })))
}
