import { useEffect, useLayoutEffect, useState } from 'react'
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
 * while its task is still under way shows that task. `isMine` recognises the tasks of the form.
 */
export function useKeptTask(isMine: (task: Task) => boolean): KeptTask {
  const state = useDesk()
  const { desk, line } = state
  const [own, setOwn] = useState<string | null>(null)
  const [ending, setEnding] = useState<FormEnding | null>(null)
  const sent = state.waiting.find(({ task }) => isMine(task)) ?? null
  const unknown = state.unknown.find(({ task }) => isMine(task)) ?? null
  const elsewhere = useTasksElsewhere(desk, isMine)
  const key = (sent ?? unknown)?.key
  useLayoutEffect(() => (key === undefined ? undefined : desk.watch(key, setEnding)), [desk, key])

  return {
    desk,
    send: (label, task) => {
      setEnding(null)
      setOwn(desk.act(label, task))
    },
    pending: sent !== null,
    waiting: sent && (sent.key !== own || line !== 'clear') ? sent : null,
    unknown: sent ? null : unknown,
    elsewhere,
    done: ending && 'done' in ending ? ending.done : null,
    refused: ending && 'refused' in ending ? ending.refused : null,
  }
}

/**
 * Returns the labels of such tasks that wait in other tabs, or for other librarians of this browser: the server does not
 * know of them yet.
 */
export function useTasksElsewhere(desk: Desk, isMine: (task: Task) => boolean): readonly string[] {
  const [labels, setLabels] = useState<readonly string[]>([])
  useEffect(() => {
    let isOver = false
    void (async () => {
      const entries = await storedTasks(sharedStore(), 'desk', isTask)
      const { waiting, unknown } = desk.snapshot()
      const here = new Set([...waiting, ...unknown].map(({ key }) => key))
      const others = entries.filter(({ key, task }) => !here.has(key) && isMine(task))
      if (!isOver) setLabels(others.map(({ label }) => label))
    })()
    return () => {
      isOver = true
    }
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- read once, when the form opens
  }, [desk])
  return labels
}
