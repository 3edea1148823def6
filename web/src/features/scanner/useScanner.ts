import { useCallback, useState, useSyncExternalStore } from 'react'
import type { ScanResult } from './acceptance'
import { Decoder } from './decoder'
import { Scanner, type ScanView } from './scanner'

type Parts = { scanner: Scanner; decoder: Decoder }

const NOTHING = { subscribe: () => () => undefined, view: () => null }

/**
 * Provides a scanner and its decoder while their video is mounted; the scanner starts by itself and releases the camera
 * on unmount. `onRead` must be stable.
 */
export function useScanner(onRead: (read: ScanResult, scanner: Scanner) => void) {
  const [parts, setParts] = useState<Parts | null>(null)

  const attach = useCallback(
    (video: HTMLVideoElement) => {
      const decoder = new Decoder()
      const scanner = new Scanner(video, decoder, (read) => onRead(read, scanner))
      setParts({ scanner, decoder })
      void scanner.start()
      const watcher = new ResizeObserver(() => scanner.measure())
      watcher.observe(video)
      return () => {
        watcher.disconnect()
        scanner.dispose()
        decoder.close()
      }
    },
    [onRead],
  )

  const source = parts?.scanner ?? NOTHING
  const view = useSyncExternalStore<ScanView | null>(source.subscribe, source.view)
  return { attach, view, scanner: parts?.scanner ?? null, decoder: parts?.decoder ?? null }
}
