/** Where the product lies on its host; all addresses here are below it. */
export const BASE_PATH = '/library'

/** The number of a receipt, from its address: there its last part comes after a hyphen, not a slash. */
export const numberOfReceipt = (id: string): string => id.replace(/-(\d+)$/, '/$1')

/** What the sign-in screen is told by whoever leads to it: an address from the registration, or that a session ended. */
export type CameFrom = { email?: string; sessionEnded?: true }

/** The path below the base, as links and `next` use it. */
export function belowBase(pathname: string): string {
  return pathname.startsWith(`${BASE_PATH}/`) ? pathname.slice(BASE_PATH.length) : pathname
}

/** A return path out of the address bar, only if it stays inside the product. */
export function safeNext(next: string | null): string | null {
  return next !== null && /^\/(?![/\\])/.test(next) ? next : null
}

/** The id in a route such as `/update/:id`; null when it cannot be one. */
export function idOf(param: string | undefined): number | null {
  return param !== undefined && /^[1-9]\d{0,15}$/.test(param) ? Number(param) : null
}
