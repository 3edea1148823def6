import { useEffect } from 'react'
import type { User } from '../api/types'
import { whenIdle } from '../lib/idle'
import { loadWords } from '../lib/messages'
import type { Screen } from '../lib/screen'
import { screens } from '../screens'

/** A student's next screens; each is a few kilobytes. */
const NEXT: readonly Screen[] = [screens.studentHome, screens.studentBookDetail, screens.profile]

/** Loads a student's other screens when the browser is idle, so that they open without a network. */
export function usePrefetch(user: User | null): void {
  const isStudent = user?.role === 'student'
  useEffect(() => {
    if (!isStudent || savesData()) return
    const load = () => {
      for (const { load: code, words = [] } of NEXT) {
        // Only logged here; the error is shown when the screen is opened.
        Promise.all([code(), loadWords(...words)]).catch((error: unknown) => console.warn(error))
      }
    }
    return whenIdle(load)
  }, [isStudent])
}

const savesData = (): boolean => (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true
