import type { ScanResult } from './acceptance'
import type { Preprocessing } from './decode'
import type { Frame } from './frames'

export type Question = { id: number } & (
  | { kind: 'frame'; frame: Frame; preprocessing: Preprocessing }
  | { kind: 'picture'; picture: Blob }
  /** Cancels the request with this id. */
  | { kind: 'cancel' }
)
/** `missing`: the decoder did not load; `unreadable`: it could not decode this picture. */
export type Failure = 'missing' | 'unreadable'
export type Reply = { id: number } & (
  | { read: ScanResult | null }
  | { failed: Failure; reason: string }
  /** Share of the work that is done. */
  | { progress: number }
)

/** Failure to start the decoder: a part did not load, or a policy forbids it. The next request retries the start. */
export class DecoderMissing extends Error {
  override readonly name = 'DecoderMissing'
}

type Waiting = {
  resolve: (read: ScanResult | null) => void
  reject: (error: Error) => void
  onProgress?: (share: number) => void
}

/** Cancellation and progress of reading a picture. */
export type PictureOptions = { signal: AbortSignal; onProgress: (share: number) => void }

/** Client of the worker that reads codes. */
export class Decoder {
  readonly #waiting = new Map<number, Waiting>()
  #asked = 0
  #worker: Worker | null = null

  constructor() {
    // Started before the first request, so that the decoder is ready when the camera is.
    this.#worker = this.#start()
  }

  #start(): Worker {
    const worker = new Worker(new URL('./decoder.worker.ts', import.meta.url), { type: 'module', name: 'decoder' })
    worker.addEventListener('message', ({ data }: MessageEvent<Reply>) => {
      if ('failed' in data && data.failed === 'missing') return this.#giveUp(worker, data.reason)
      const waiting = this.#waiting.get(data.id)
      if ('progress' in data) return waiting?.onProgress?.(data.progress)
      this.#waiting.delete(data.id)
      if ('failed' in data) waiting?.reject(new Error(data.reason))
      else waiting?.resolve(data.read)
    })
    worker.addEventListener('error', (event) => {
      event.preventDefault()
      this.#giveUp(worker, event.message || 'the worker did not start')
    })
    return worker
  }

  #giveUp(worker: Worker | null, reason: string): void {
    // Messages of an older worker are ignored.
    if (worker === null || worker !== this.#worker) return
    worker.terminate()
    this.#worker = null
    for (const { reject } of this.#waiting.values()) reject(new DecoderMissing(reason))
    this.#waiting.clear()
  }

  #ask(
    question: (id: number) => Question,
    handedOver: Transferable[],
    options?: PictureOptions,
  ): Promise<ScanResult | null> {
    const id = (this.#asked += 1)
    this.#worker ??= this.#start()
    const worker = this.#worker
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, ...(options && { onProgress: options.onProgress }) })
      worker.postMessage(question(id), handedOver)
      options?.signal.addEventListener('abort', () => {
        const cancel: Question = { id, kind: 'cancel' }
        if (this.#waiting.has(id)) worker.postMessage(cancel, [])
      })
    })
  }

  /** Transfers the pixels instead of copying them. */
  readFrame({ data, width, height }: Frame, preprocessing: Preprocessing): Promise<ScanResult | null> {
    return this.#ask((id) => ({ id, kind: 'frame', frame: { data, width, height }, preprocessing }), [data.buffer])
  }

  /** Returns the code in a picture file; null if there is none, or if cancelled. */
  readPicture(picture: Blob, options: PictureOptions): Promise<ScanResult | null> {
    return this.#ask((id) => ({ id, kind: 'picture', picture }), [], options)
  }

  close(): void {
    this.#giveUp(this.#worker, 'the decoder was closed')
  }
}
