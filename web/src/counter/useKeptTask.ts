import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useOwner } from '../api/draft'
import type { Entry } from '../lib/outbox'
import { sharedStore, storedTasks } from '../lib/outboxStore'
import type { Desk, FormEnding } from './queue'
import { isTask, type Settled, type Task } from './tasks'
import { useDesk } from './useDesk'

export type KeptTask = {
  desk: Desk
  /** Sends the form's task, unless the same task is already under way. */
  send: (label: string, task: Task) => void
  /** True while the form's own task is under way. */
  pending: boolean
  /** Task to show in place of the form: it waits for the server, or was sent before the form opened. */
  waiting: Entry<Task> | null
  /** Task with an unknown outcome. */
  unknown: Entry<Task> | null
  /** Labels of such tasks in other tabs; see `useTasksElsewhere`. */
  elsewhere: readonly string[]
  done: Settled | null
  /** Error of the last refusal. */
  refused: unknown
}

/**
 * Sends a form's task through the desk's queue, which keeps it if the form or the page is left (R-SEAM-1). A form that opens
 * while its task is still under way shows that task; while one is under way in another tab of the librarian, it sends none.
 * `isMine` recognises the tasks of the form.
 */
export function useKeptTask(isMine: (task: Task) => boolean): KeptTask {
  const state = useDesk()
  const { desk, line } = state
  const owner = String(useOwner())
  const [own, setOwn] = useState<string | null>(null)
  const [ending, setEnding] = useState<FormEnding | null>(null)
  const [found, setFound] = useState<readonly string[] | null>(null)
  const isChecking = useRef(false)
  const sent = state.waiting.find(({ task }) => isMine(task)) ?? null
  const unknown = state.unknown.find(({ task }) => isMine(task)) ?? null
  const elsewhere = useTasksElsewhere(desk, isMine)
  const key = (sent ?? unknown)?.key
  useLayoutEffect(() => (key === undefined ? undefined : desk.watch(key, setEnding)), [desk, key])

  async function send(label: string, task: Task): Promise<void> {
    if (isChecking.current) return
    isChecking.current = true
    const others = await labelsElsewhere(desk, isMine, owner)
    isChecking.current = false
    setFound(others)
    if (others.length > 0) return
    setEnding(null)
    setOwn(desk.act(label, task))
  }

  return {
    desk,
    send: (label, task) => void send(label, task),
    pending: sent !== null,
    waiting: sent && (sent.key !== own || line !== 'clear') ? sent : null,
    unknown: sent ? null : unknown,
    elsewhere: found ?? elsewhere,
    done: ending && 'done' in ending ? ending.done : null,
    refused: ending && 'refused' in ending ? ending.refused : null,
  }
}

/** Returns the labels of such tasks in this browser that are not this page's: of one owner or of all. */
async function labelsElsewhere(
  desk: Desk,
  isMine: (task: Task) => boolean,
  owner?: string,
): Promise<readonly string[]> {
  const entries = await storedTasks(sharedStore(), 'desk', isTask, owner)
  const { waiting, unknown } = desk.snapshot()
  const here = new Set([...waiting, ...unknown].map(({ key }) => key))
  return entries.filter(({ key, task }) => !here.has(key) && isMine(task)).map(({ label }) => label)
}

/**
 * Returns the labels of such tasks that wait in other tabs, or for other librarians of this browser: the server does not
 * know of them yet.
 */
export function useTasksElsewhere(desk: Desk, isMine: (task: Task) => boolean): readonly string[] {
  const [labels, setLabels] = useState<readonly string[]>([])
  useEffect(() => {
    let isOver = false
    void labelsElsewhere(desk, isMine).then((found) => !isOver && setLabels(found))
    return () => {
      isOver = true
    }
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- read once, when the form opens
  }, [desk])
  return labels
}
