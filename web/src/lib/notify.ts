/** A short notice of what became of an action. */
export type Notice = {
  kind: 'success' | 'failure'
  message: string
  /** A notice takes the place of the one with the same id. */
  id?: string | undefined
  /** Offered beside the words of a success. */
  undo?: (() => Promise<unknown>) | undefined
}

type Host = { show: (notice: Notice) => void; hide: (id: string) => void; clear: () => void }

let host: Host | null = null
const waiting: Notice[] = []

/** Whoever shows notices says so; what was told before is shown then. The answer ends it. */
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

/** Those who are signed in one after the other; a notice is for the one who asked. */
let person = 0

/** Clears every notice: another person, or nobody, sits here now. */
export function clearNotices(): void {
  person += 1
  waiting.length = 0
  host?.clear()
}

/** Whether what is told from now on is still for the person of this moment. */
export function samePerson(): () => boolean {
  const before = person
  return () => person === before
}

/** Tells a person what became of an action: a success for a while, a failure until it is dismissed or tried again. */
export const notify = {
  success: (message: string, undo?: () => Promise<unknown>) => showOrQueue({ kind: 'success', message, undo }),
  failure: (message: string, id?: string) => showOrQueue({ kind: 'failure', message, id }),
  /** Takes back what was told under this id. */
  hide: (id: string) => host?.hide(id),
}
