import type { Role } from '../api/types'

type Area = 'localStorage' | 'sessionStorage'

/** Browser storage may be blocked or full: reading then finds nothing and writing does nothing. */
function guarded(area: Area) {
  return {
    read(key: string): string | null {
      try {
        return window[area].getItem(key)
      } catch {
        return null
      }
    },
    write(key: string, value: string): void {
      try {
        window[area].setItem(key, value)
      } catch {
        // Nothing that the product keeps here is needed to go on.
      }
    },
    remove(key: string): void {
      try {
        window[area].removeItem(key)
      } catch {
        // As above.
      }
    },
  }
}

/** What stays on this browser. */
export const storage = guarded('localStorage')

/** What lives as long as this tab, over reloads. */
export const tabStorage = guarded('sessionStorage')

const USER_ROLE = 'userRole'

/** The role of the person who signed in last on this browser; a convenience, never a right. */
export const storedRole = {
  get(): Role | null {
    const role = storage.read(USER_ROLE)
    return role === 'admin' || role === 'student' ? role : null
  },
  set: (role: Role) => storage.write(USER_ROLE, role),
  clear: () => storage.remove(USER_ROLE),
  /** Calls back when another tab of this browser changes it; the answer ends the listening. */
  onChangeElsewhere(changed: () => void): () => void {
    const listen = (event: StorageEvent) => {
      if (event.key === USER_ROLE && event.newValue !== event.oldValue) changed()
    }
    window.addEventListener('storage', listen)
    return () => window.removeEventListener('storage', listen)
  },
}
