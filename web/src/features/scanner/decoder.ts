import type { Read } from './acceptance'
import type { Treatment } from './decode'
import type { Frame } from './frames'

export type Question = { id: number } & (
  | { kind: 'frame'; frame: Frame; treatment: Treatment }
  | { kind: 'picture'; picture: Blob }
)
export type Reply = { id: number } & ({ read: Read | null } | { failure: string })

type Waiting = { resolve: (read: Read | null) => void; reject: (error: Error) => void }

/** The worker that reads codes, from this side. */
export class Decoder {
  readonly #worker = new Worker(new URL('./decoder.worker.ts', import.meta.url), { type: 'module', name: 'decoder' })
  readonly #waiting = new Map<number, Waiting>()
  #asked = 0

  constructor() {
    this.#worker.addEventListener('message', ({ data }: MessageEvent<Reply>) => {
      const waiting = this.#waiting.get(data.id)
      this.#waiting.delete(data.id)
      if ('failure' in data) waiting?.reject(new Error(data.failure))
      else waiting?.resolve(data.read)
    })
    // Its script did not arrive or the policy forbids it.
    this.#worker.addEventListener('error', (event) => {
      event.preventDefault()
      this.#giveUp(new Error(event.message || 'The decoder did not start'))
    })
  }

  #giveUp(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }

  #post(question: Question, handedOver: Transferable[]): void {
    this.#worker.postMessage(question, handedOver)
  }

  #ask(ask: (id: number) => void): Promise<Read | null> {
    const id = (this.#asked += 1)
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      ask(id)
    })
  }

  /** The pixels are handed over, not copied. */
  readFrame(frame: Frame, treatment: Treatment): Promise<Read | null> {
    const { data, width, height } = frame
    return this.#ask((id) => {
      this.#post({ id, kind: 'frame', frame: { data, width, height }, treatment }, [data.buffer])
    })
  }

  readPicture(picture: Blob): Promise<Read | null> {
    return this.#ask((id) => this.#post({ id, kind: 'picture', picture }, []))
  }

  close(): void {
    this.#worker.terminate()
    this.#giveUp(new Error('The decoder was closed'))
  }
}
