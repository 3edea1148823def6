import { redirect } from 'react-router'
import { sessionQuery } from '../api/account'
import type { Capability, User } from '../api/types'
import { belowBase, idOf } from '../lib/paths'
import { homeOf, paths } from '../screens'
import { queryClient } from '../api/queryClient'
import { storedRole } from '../lib/storage'

/** Returns the requested path below the base, to return to after sign-in. */
function pathOf(request: Request): string {
  const { pathname, search } = new URL(request.url)
  return belowBase(pathname) + search
}

async function signedIn(request: Request): Promise<User> {
  const { user, secondFactorMissing } = await queryClient.ensureQueryData(sessionQuery)
  if (user) {
    // The server refuses all other calls until a second factor is set up.
    if (secondFactorMissing && !request.url.endsWith(paths.security())) throw redirect(paths.security())
    return user
  }
  storedRole.clear()
  throw redirect(paths.login(pathOf(request)))
}

/** Screens of librarians: students are redirected to their home, visitors to sign-in. */
export async function requireAdmin({ request }: { request: Request }): Promise<null> {
  const user = await signedIn(request)
  if (user.role !== 'admin') throw redirect(homeOf(user.role))
  return null
}

/** Redirects a librarian without this capability home. Another guard checks the session. */
export const requireMay = (may: Capability) => async (): Promise<null> => {
  const { user } = await queryClient.ensureQueryData(sessionQuery)
  if (user?.role === 'admin' && !user.capabilities.includes(may)) throw redirect(paths.home())
  return null
}

/** Screens of signed-in users. */
export const requirePerson = ({ request }: { request: Request }): Promise<User> => signedIn(request)

/** Screens of students. */
export async function requireStudent({ request }: { request: Request }): Promise<null> {
  const user = await signedIn(request)
  if (user.role !== 'student') throw redirect(homeOf(user.role))
  return null
}

/** The student home checks the stored role first, as specified. */
export async function requireStoredStudent(args: { request: Request }): Promise<null> {
  if (storedRole.get() !== 'student') throw redirect(paths.login())
  return requireStudent(args)
}

/** Readers' page of a book, open to all: librarians are redirected to their own page of the book. */
export async function leadAdminToOwnDetail({ params }: { params: { id?: string } }): Promise<null> {
  const { user } = await queryClient.ensureQueryData(sessionQuery)
  const id = idOf(params.id)
  if (user?.role === 'admin' && id !== null) throw redirect(paths.bookDetail(id))
  return null
}
