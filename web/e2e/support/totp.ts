import { createHmac } from 'node:crypto'
import type { Person } from './library'

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Returns the code of an authenticator app with this key (RFC 6238), now or `later` half-minute steps later. */
export function codeOf(secret: string, later = 0): string {
  const bits = Array.from(secret, (sign) => BASE32.indexOf(sign).toString(2).padStart(5, '0')).join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2)))
  const step = Buffer.alloc(8)
  step.writeBigInt64BE(BigInt(Math.floor(Date.now() / 30_000) + later))
  const mac = createHmac('sha1', key).update(step).digest()
  const number = mac.readUInt32BE((mac.at(-1) ?? 0) & 15) & 0x7fff_ffff
  return String(number % 1_000_000).padStart(6, '0')
}

/** Sets an authenticator app up by the API; returns its key. */
export async function enrol(person: Person): Promise<string> {
  const begun = { currentPassword: person.password }
  const { secret } = await person.ask<{ secret: string }>('POST', '/auth/authenticator', begun)
  await person.ask('POST', '/auth/authenticator/confirm', { code: codeOf(secret) })
  return secret
}
