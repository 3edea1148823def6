/** Base path of the product on its host. */
export const BASE_PATH = '/library'

/** Returns a receipt's number from its address, where a hyphen replaces the slash before the last part. */
export const numberOfReceipt = (id: string): string => id.replace(/-(\d+)$/, '/$1')

/** State passed to the sign-in screen: an email address from the registration, or a flag for an ended session. */
export type CameFrom = { email?: string; sessionEnded?: true }

/** Returns the path below the base, as links and `next` use it. */
export function belowBase(pathname: string): string {
  return pathname.startsWith(`${BASE_PATH}/`) ? pathname.slice(BASE_PATH.length) : pathname
}

/** Returns a path to return to, taken from the address, if it stays inside the product; otherwise null. */
export function safeNext(next: string | null): string | null {
  return next !== null && /^\/(?![/\\])/.test(next) ? next : null
}

/** Parses the id in a route such as `/update/:id`; null if invalid. */
export function idOf(param: string | undefined): number | null {
  return param !== undefined && /^[1-9]\d{0,15}$/.test(param) ? Number(param) : null
}
