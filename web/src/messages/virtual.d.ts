declare module 'virtual:messages' {
  import type { CompiledMessage } from 'icu-minify/format'

  /** Loaders of every part, by language. */
  const catalogues: Readonly<
    Record<string, Readonly<Record<string, () => Promise<{ default: Readonly<Record<string, CompiledMessage>> }>>>>
  >
  export default catalogues
}
