import { useCallback, useEffect, useRef, useState } from 'react'
import { findCardHolder } from '../../api/account'
import { isPassing, lookupMessage } from './lookupMessage'

/** Time limit of a look-up. */
const PATIENCE_MS = 15_000

/** Email of the card's owner, or the reason why it was not found. */
export type CardAnswer =
  | { email: string }
  | {
      refusal: string
      /** Temporary failure: the same card may work a moment later. */
      passing: boolean
    }

type State = { looking: boolean; refusal: string | null }

const IDLE: State = { looking: false, refusal: null }

/** Looks up cards, one at a time: a newer look-up or another action of the person cancels a pending one. */
export function useCardLookup() {
  const [state, setState] = useState(IDLE)
  const current = useRef<AbortController | null>(null)

  /** Cancels a pending look-up. */
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

  /** Returns the answer; null if a newer action replaced it. */
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
