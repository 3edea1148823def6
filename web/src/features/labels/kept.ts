import { useState } from 'react'
import { storage } from '../../lib/storage'
import { EXACT, type Deviation } from './sheets'

/** A value of this desk, stored in the browser. */
function useStored<Value>(key: string, initial: Value): [Value, (next: Value) => void] {
  const [value, setValue] = useState<Value>(() => {
    try {
      const kept: unknown = JSON.parse(storage.read(key) ?? '{}')
      return { ...initial, ...(kept as Partial<Value>) }
    } catch {
      return initial
    }
  })
  return [
    value,
    (next) => {
      storage.write(key, JSON.stringify(next))
      setValue(next)
    },
  ]
}

/** Settings of labels at this desk: sheet, look, and the next free label of each sheet. */
export type Desk = {
  sheet: string
  face: 'title' | 'spine'
  code: 'bars' | 'qr'
  outlines: boolean
  next: Readonly<Record<string, number>>
}

export const useDesk = () =>
  useStored<Desk>('labels', { sheet: 'a4-24', face: 'title', code: 'bars', outlines: false, next: {} })

/** Deviation of this desk's printer. */
export const useDeviation = () => useStored<Deviation>('labelPrinter', EXACT)
