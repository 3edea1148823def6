/** A chunk that has not arrived by then is given up. */
const CHUNK_TIMEOUT_MS = 120_000

/** Which chunk could not be loaded and why: `timeout`, `missing`, or the type of the error inside it. */
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

/** Browsers report a module that did not arrive as a TypeError with one of these sentences. */
const NOT_ARRIVED = /dynamically imported module|importing a module script|unable to preload css/i

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'error'
  return NOT_ARRIVED.test(error.message) ? 'missing' : error.name
}

/** Loads a lazy part of the product; whatever goes wrong becomes a `ChunkLoadError` that names it. */
export async function loadChunk<T>(chunk: string, load: () => Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new ChunkLoadError(chunk, 'timeout')), CHUNK_TIMEOUT_MS)
  })
  try {
    return await Promise.race([load(), timeout])
  } catch (error) {
    throw error instanceof ChunkLoadError ? error : new ChunkLoadError(chunk, reasonOf(error), error)
  } finally {
    clearTimeout(timer)
  }
}
