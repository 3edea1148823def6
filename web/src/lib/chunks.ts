/** Time limit for loading a chunk. */
const CHUNK_TIMEOUT_MS = 120_000

/** Failure to load a chunk, with the reason: `timeout`, `missing`, or the type of the error inside it. */
export class ChunkLoadError extends Error {
  override readonly name = 'ChunkLoadError'
  readonly chunk: string
  readonly reason: string

  constructor(chunk: string, reason: string, cause?: unknown) {
    super(`Loading chunk ${chunk} failed. (${reason})`, { cause })
    this.chunk = chunk
    this.reason = reason
  }
}

/** Messages of the TypeErrors that browsers throw for a module that did not load. */
const NOT_ARRIVED = /dynamically imported module|importing a module script|unable to preload css/i

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'error'
  return NOT_ARRIVED.test(error.message) ? 'missing' : error.name
}

/** Pattern of the module's address, which some browsers include in the error. */
const ADDRESS = /https?:\/\/\S+\.js\b/

/** Retries once, at another address if possible, because browsers may cache the failure. */
async function again<T>(load: () => Promise<T>, error: unknown): Promise<T> {
  const [address] = (error instanceof Error && ADDRESS.exec(error.message)) || []
  if (!address?.startsWith(location.origin)) return load()
  return (await import(/* @vite-ignore */ `${address}?again=${Date.now()}`)) as T
}

/** Loads a module of the product; every failure becomes a `ChunkLoadError` that names it. */
export async function loadChunk<T>(chunk: string, load: () => Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new ChunkLoadError(chunk, 'timeout')), CHUNK_TIMEOUT_MS)
  })
  try {
    const loading = load().catch((error: unknown) => {
      if (reasonOf(error) !== 'missing') throw error
      return again(load, error)
    })
    return await Promise.race([loading, timeout])
  } catch (error) {
    throw error instanceof ChunkLoadError ? error : new ChunkLoadError(chunk, reasonOf(error), error)
  } finally {
    clearTimeout(timer)
  }
}
