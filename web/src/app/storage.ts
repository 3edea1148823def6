import type { Role } from '../api/types'

/** Browser storage may be blocked or full: reading then finds nothing and writing does nothing. */
export const storage = {
  read(key: string): string | null {
    try {
      return localStorage.getItem(key)
    } catch {
      return null
    }
  },
  write(key: string, value: string): void {
    try {
      localStorage.setItem(key, value)
    } catch {
      // Nothing that the product keeps here is needed to go on.
    }
  },
  remove(key: string): void {
    try {
      localStorage.removeItem(key)
    } catch {
      // As above.
    }
  },
}

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
