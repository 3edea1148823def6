/** A short notice about the outcome of an action. */
export type Notice = {
  kind: 'success' | 'failure'
  message: string
  /** Id of a failure, or what a success is about; a later notice with the same id replaces it. */
  id?: string | undefined
  /** Action of the Undo button; shown only with a success. */
  undo?: (() => Promise<unknown>) | undefined
}

type Host = { show: (notice: Notice) => void; hide: (id: string) => void; clear: () => void }

let host: Host | null = null
const waiting: Notice[] = []

/**
 * Registers the component that shows notices, and shows those queued before. Returns a function that unregisters it.
 */
export function hostNotices(next: Host): () => void {
  host = next
  for (const notice of waiting.splice(0)) host.show(notice)
  return () => {
    if (host === next) host = null
  }
}

function showOrQueue(notice: Notice): void {
  if (host) host.show(notice)
  else waiting.push(notice)
}

/** Counts changes of the signed-in person, so that a notice reaches only the person who acted. */
let person = 0

/** Clears every notice, when another person or a visitor uses the page. */
export function clearNotices(): void {
  person += 1
  waiting.length = 0
  host?.clear()
}

/** Returns a function that tells whether the same person is still signed in. */
export function samePerson(): () => boolean {
  const before = person
  return () => person === before
}

/** Shows the outcome of an action: a success for a while, a failure until it is dismissed or retried. */
export const notify = {
  success: (message: string, undo?: () => Promise<unknown>, id?: string) =>
    showOrQueue({ kind: 'success', message, undo, id }),
  failure: (message: string, id?: string) => showOrQueue({ kind: 'failure', message, id }),
  /** Removes the notice with this id. */
  hide: (id: string) => {
    host?.hide(id)
    for (const notice of waiting.splice(0)) if (notice.id !== id) waiting.push(notice)
  },
}
