import type { Role } from '../api/types'

type Area = 'localStorage' | 'sessionStorage'

/** Wraps a storage that may be blocked or full: values then live as long as the page. */
function guarded(area: Area) {
  const memory = new Map<string, string>()
  return {
    read(key: string): string | null {
      try {
        return memory.get(key) ?? window[area].getItem(key)
      } catch {
        return null
      }
    },
    write(key: string, value: string): void {
      try {
        window[area].setItem(key, value)
        memory.delete(key)
      } catch {
        memory.set(key, value)
      }
    },
    remove(key: string): void {
      memory.delete(key)
      try {
        window[area].removeItem(key)
      } catch {
        // Storage is blocked; the value was never stored.
      }
    },
  }
}

/** Storage of this browser, shared by its tabs. */
export const storage = guarded('localStorage')

/** Storage of this tab, kept over reloads. */
export const tabStorage = guarded('sessionStorage')

const USER_ROLE = 'userRole'

/** Role of the last user of this browser: a hint for the first screen, never an authorisation. */
export const storedRole = {
  get(): Role | null {
    const role = storage.read(USER_ROLE)
    return role === 'admin' || role === 'student' ? role : null
  },
  set: (role: Role) => storage.write(USER_ROLE, role),
  clear: () => storage.remove(USER_ROLE),
}
