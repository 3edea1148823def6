import { readFileSync } from 'node:fs'

const manifest = JSON.parse(readFileSync(new URL('../../dist/.vite/manifest.json', import.meta.url), 'utf8')) as Record<
  string,
  { file: string }
>

/** Matches the address of the chunk that begins with a source file or a part of the messages, also that of a retry. */
export function chunkOf(source: string): RegExp {
  const file = (manifest[`src/${source}`] ?? manifest[source])?.file
  if (file === undefined) throw new Error(`${source} has no chunk`)
  return new RegExp(`/${file.replaceAll('.', '\\.')}(\\?.*)?$`)
}
