import type { Role } from '../api/types'

type Area = 'localStorage' | 'sessionStorage'

/** Browser storage may be blocked or full: what is written then lives as long as the page. */
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
        // It was never there.
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
}
