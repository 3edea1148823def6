import { t, type PlainKey } from './messages'
import { ProblemError } from './problem'

/** True if the browser supports passkeys; it does at https addresses and on localhost only. */
export const hasPasskeys = (): boolean => 'PublicKeyCredential' in window

const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (sign) => sign.charCodeAt(0))

const textOf = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')

/** Omits empty transports; otherwise browsers would search for the passkey nowhere. */
const known = ({ id, transports = [] }: PublicKeyCredentialDescriptorJSON): PublicKeyCredentialDescriptor => ({
  type: 'public-key',
  id: bytesOf(id),
  ...(transports.length > 0 && { transports: transports as AuthenticatorTransport[] }),
})

/** Texts for the errors that browsers throw. */
type FailureTexts = Partial<Record<string, PlainKey>> & { NotAllowedError: PlainKey }

async function ask(asking: Promise<Credential | null>, words: FailureTexts): Promise<PublicKeyCredential> {
  try {
    const credential = await asking
    if (credential instanceof PublicKeyCredential) return credential
  } catch (error) {
    const name = error instanceof DOMException ? error.name : ''
    throw new ProblemError({ status: 0, code: 'unknown', detail: t(words[name] ?? 'passkey.failed') })
  }
  throw new ProblemError({ status: 0, code: 'unknown', detail: t(words.NotAllowedError) })
}

/** Lets the browser create a passkey. */
export async function makePasskey(asked: unknown) {
  const options = asked as PublicKeyCredentialCreationOptionsJSON
  const publicKey = {
    ...options,
    challenge: bytesOf(options.challenge),
    user: { ...options.user, id: bytesOf(options.user.id) },
    excludeCredentials: options.excludeCredentials?.map(known),
  } as PublicKeyCredentialCreationOptions
  const { response } = await ask(navigator.credentials.create({ publicKey }), {
    NotAllowedError: 'passkey.notMade',
    InvalidStateError: 'passkey.already',
    SecurityError: 'passkey.elsewhere',
  })
  const made = response as AuthenticatorAttestationResponse
  return {
    clientData: textOf(made.clientDataJSON),
    attestationObject: textOf(made.attestationObject),
    transports: made.getTransports(),
  }
}

/** Lets the browser use a passkey. */
export async function showPasskey(asked: unknown) {
  const options = asked as PublicKeyCredentialRequestOptionsJSON
  const publicKey = {
    ...options,
    challenge: bytesOf(options.challenge),
    allowCredentials: options.allowCredentials?.map(known),
  } as PublicKeyCredentialRequestOptions
  const { rawId, response } = await ask(navigator.credentials.get({ publicKey }), {
    NotAllowedError: 'passkey.notUsed',
    SecurityError: 'passkey.elsewhere',
  })
  const { clientDataJSON, authenticatorData, signature, userHandle } = response as AuthenticatorAssertionResponse
  return {
    credentialId: textOf(rawId),
    clientData: textOf(clientDataJSON),
    authenticatorData: textOf(authenticatorData),
    signature: textOf(signature),
    ...(userHandle && { userHandle: textOf(userHandle) }),
  }
}
