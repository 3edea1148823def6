import { redirect } from 'react-router'
import { sessionQuery } from '../api/account'
import type { Capability, User } from '../api/types'
import { belowBase, idOf } from '../lib/paths'
import { homeOf, paths } from '../screens'
import { queryClient } from '../api/queryClient'
import { storedRole } from '../lib/storage'

/** The path below the base that a request asks for, to return to after signing in. */
function pathOf(request: Request): string {
  const { pathname, search } = new URL(request.url)
  return belowBase(pathname) + search
}

async function signedIn(request: Request): Promise<User> {
  const { user, secondFactorMissing } = await queryClient.ensureQueryData(sessionQuery)
  if (user) {
    // The server lets them do nothing else.
    if (secondFactorMissing && !request.url.endsWith(paths.security())) throw redirect(paths.security())
    return user
  }
  storedRole.clear()
  throw redirect(paths.login(pathOf(request)))
}

/** Screens of the librarians: a student is led to the own home, a visitor to sign-in. */
export async function requireAdmin({ request }: { request: Request }): Promise<null> {
  const user = await signedIn(request)
  if (user.role !== 'admin') throw redirect(homeOf(user.role))
  return null
}

/** Screens that a librarian must be allowed to use: one who is not is led home. Who comes at all is asked elsewhere. */
export const requireMay = (may: Capability) => async (): Promise<null> => {
  const { user } = await queryClient.ensureQueryData(sessionQuery)
  if (user?.role === 'admin' && !user.capabilities.includes(may)) throw redirect(paths.home())
  return null
}

/** Screens of whoever is signed in. */
export const requirePerson = ({ request }: { request: Request }): Promise<User> => signedIn(request)

/** Screens of a student. */
export async function requireStudent({ request }: { request: Request }): Promise<null> {
  const user = await signedIn(request)
  if (user.role !== 'student') throw redirect(homeOf(user.role))
  return null
}

/** The student home asks the stored role first, as specified. */
export async function requireStoredStudent(args: { request: Request }): Promise<null> {
  if (storedRole.get() !== 'student') throw redirect(paths.login())
  return requireStudent(args)
}

/** The readers' page of a book, open to all: a librarian is led to the own page of the same book. */
export async function leadAdminToOwnDetail({ params }: { params: { id?: string } }): Promise<null> {
  const { user } = await queryClient.ensureQueryData(sessionQuery)
  const id = idOf(params.id)
  if (user?.role === 'admin' && id !== null) throw redirect(paths.bookDetail(id))
  return null
}
