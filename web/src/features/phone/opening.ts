import { useEffect, useState } from 'react'
import { openPhone } from '../../api/phones'
import { newKey } from '../../lib/newKey'
import { messageOf, ProblemError } from '../../lib/problem'
import { tabStorage } from '../../lib/storage'

const TOKEN = 'phoneToken'
/** Storage key of the pairing's name, which keeps the codes of different desks apart. */
const PAIRING = 'phonePairing'
/** Storage key of the code and the token of an unanswered exchange, separated by a space. */
const OPENING = 'phoneOpening'
const RETRY_MS = 2000

export type Opening =
  | { state: 'none' }
  /** The exchange is under way; `isCut` while the server cannot be reached. */
  | { state: 'opening'; isCut: boolean }
  | { state: 'refused'; reason: string }
  | { state: 'open'; token: string; pairing: string }

/** 32 random bytes in base64url. */
function newToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/**
 * Removes the code after the `#`, which browsers do not send to a server, from the address bar and the history. Code
 * and token are stored before they are sent, so a reload repeats the same exchange.
 */
function takeCode(): void {
  const code = location.hash.slice(1)
  if (code === '') return
  history.replaceState(history.state, '', location.pathname + location.search)
  const pending = tabStorage.read(OPENING)
  if (pending?.split(' ')[0] !== code) tabStorage.write(OPENING, `${code} ${newToken()}`)
}

function begin(): Opening {
  takeCode()
  if (tabStorage.read(OPENING) !== null) return { state: 'opening', isCut: false }
  const token = tabStorage.read(TOKEN)
  return token === null ? { state: 'none' } : { state: 'open', token, pairing: tabStorage.read(PAIRING) ?? '' }
}

/** Exchanges the desk's code for this phone's own token (R-SEAM-8), which is kept for the lifetime of the tab. */
export function useOpening(): Opening {
  const [opening, setOpening] = useState(begin)
  const isOpening = opening.state === 'opening'

  useEffect(() => {
    if (!isOpening) return undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    let isOver = false
    async function exchange() {
      const [code = '', token = ''] = (tabStorage.read(OPENING) ?? '').split(' ')
      const next = await exchangeCode(code, token)
      if (isOver) return
      setOpening(next)
      if (next.state === 'opening') timer = setTimeout(() => void exchange(), RETRY_MS)
    }
    void exchange()
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [isOpening])

  return opening
}

async function exchangeCode(code: string, token: string): Promise<Opening> {
  try {
    await openPhone({ code, token })
  } catch (error) {
    const mayPass =
      !(error instanceof ProblemError) || error.status === 0 || error.status === 429 || error.status >= 500
    if (mayPass) return { state: 'opening', isCut: true }
    tabStorage.remove(OPENING)
    return { state: 'refused', reason: messageOf(error) }
  }
  const pairing = newKey()
  tabStorage.write(TOKEN, token)
  tabStorage.write(PAIRING, pairing)
  tabStorage.remove(OPENING)
  return { state: 'open', token, pairing }
}
