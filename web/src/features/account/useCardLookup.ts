import { useCallback, useEffect, useRef, useState } from 'react'
import { findCardHolder } from '../../api/account'
import { isPassing, lookupMessage } from './lookupMessage'

/** A look-up that takes longer has failed. */
const PATIENCE_MS = 15_000

/** Whose card it is, or in words why nobody can tell. */
export type CardAnswer =
  | { email: string }
  | {
      refusal: string
      /** It was not the card's fault: the same card may lead somewhere a moment later. */
      passing: boolean
    }

type State = { looking: boolean; refusal: string | null }

const IDLE: State = { looking: false, refusal: null }

/** Looks cards up, one at a time: only the newest counts, and only until somebody does something else. */
export function useCardLookup() {
  const [state, setState] = useState(IDLE)
  const current = useRef<AbortController | null>(null)

  /** Drops a look-up that is under way. */
  const cancel = useCallback(() => {
    if (!current.current) return
    current.current.abort()
    current.current = null
    setState(IDLE)
  }, [])
  useEffect(() => cancel, [cancel])

  const forget = useCallback(() => {
    cancel()
    setState(IDLE)
  }, [cancel])

  /** The answer; null when something newer made it meaningless. */
  const find = useCallback(async (rollNumber: string): Promise<CardAnswer | null> => {
    current.current?.abort()
    const mine = new AbortController()
    current.current = mine
    setState({ looking: true, refusal: null })
    const finish = (after: State, answer: CardAnswer) => {
      if (current.current !== mine) return null
      current.current = null
      setState(after)
      return answer
    }
    try {
      const email = await findCardHolder(rollNumber, AbortSignal.any([mine.signal, AbortSignal.timeout(PATIENCE_MS)]))
      return finish(IDLE, { email })
    } catch (error) {
      const refusal = lookupMessage(error)
      return finish({ looking: false, refusal }, { refusal, passing: isPassing(error) })
    }
  }, [])

  return { ...state, find, cancel, forget }
}
