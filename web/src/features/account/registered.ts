/** What the registration hands to the sign-in form through the history entry. */
export type Registered = { email: string }

export function isRegistered(state: unknown): state is Registered {
  return typeof state === 'object' && state !== null && 'email' in state && typeof state.email === 'string'
}
