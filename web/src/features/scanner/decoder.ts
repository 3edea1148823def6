import type { ScanResult } from './acceptance'
import type { Preprocessing } from './decode'
import type { Frame } from './frames'

export type Question = { id: number } & (
  | { kind: 'frame'; frame: Frame; preprocessing: Preprocessing }
  | { kind: 'picture'; picture: Blob }
  /** The answer to this question is no longer wanted. */
  | { kind: 'cancel' }
)
/** `missing`: the decoder's program did not arrive; `unreadable`: it could not make anything of this one. */
export type Failure = 'missing' | 'unreadable'
export type Reply = { id: number } & (
  | { read: ScanResult | null }
  | { failed: Failure; reason: string }
  /** Share of the work that is done. */
  | { progress: number }
)

/** The decoder did not start: a part of it did not arrive, or a policy forbids it. The next question tries anew. */
export class DecoderMissing extends Error {
  override readonly name = 'DecoderMissing'
}

type Waiting = {
  resolve: (read: ScanResult | null) => void
  reject: (error: Error) => void
  onProgress?: (share: number) => void
}

/** How a picture is read: until it is no longer wanted, telling how far it is. */
export type PictureOptions = { signal: AbortSignal; onProgress: (share: number) => void }

/** The worker that reads codes, from this side. */
export class Decoder {
  readonly #waiting = new Map<number, Waiting>()
  #asked = 0
  #worker: Worker | null = null

  constructor() {
    // Before the first question, so that it is there when the camera is.
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
    // An older one has nothing to say any more.
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

  /** The pixels are handed over, not copied. */
  readFrame({ data, width, height }: Frame, preprocessing: Preprocessing): Promise<ScanResult | null> {
    return this.#ask((id) => ({ id, kind: 'frame', frame: { data, width, height }, preprocessing }), [data.buffer])
  }

  /** The code in a picture file; null as well when it is no longer wanted. */
  readPicture(picture: Blob, options: PictureOptions): Promise<ScanResult | null> {
    return this.#ask((id) => ({ id, kind: 'picture', picture }), [], options)
  }

  close(): void {
    this.#giveUp(this.#worker, 'the decoder was closed')
  }
}
