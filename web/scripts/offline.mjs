/**
 * Builds the service worker (src/offline/worker.ts) into `worker.js`, with the list of files of a student's screens,
 * which it serves from its cache while offline.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { build } from 'vite'
import { LANGUAGES } from './messages.mjs'
import { filesOf, firstLoad, SCREENS, wordsOf } from './preload.mjs'

/** Modules that a student's screens load later and also need while offline. */
const LATER = ['features/profile/IdCard.tsx', 'features/notices/NoticesScreen.tsx']
const SIGN_IN = 'features/account/SignInScreen.tsx'

export function offlinePlugin() {
  return {
    name: 'library-offline',
    apply: /** @type {const} */ ('build'),
    generateBundle: {
      order: /** @type {const} */ ('post'),
      /** @param {unknown} _options @param {Record<string, any>} bundle */
      async handler(_options, bundle) {
        const entry = Object.values(bundle).find(({ isEntry }) => isEntry)
        if (!entry) return
        const first = firstLoad(bundle)
        const sources = ['app/Shell.tsx', SIGN_IN, ...Object.values(SCREENS).map(([source]) => source), ...LATER]
        const sheets = [...first].flatMap((file) => Array.from(bundle[file]?.viteMetadata?.importedCss ?? []))
        const none = new Set()
        const files = new Set([...first, ...sheets, ...sources.flatMap((source) => filesOf(bundle, source, none))])
        const parts = new Set(['first', 'common', 'frame', ...Object.values(SCREENS).flatMap(([, own]) => own)])
        const words = Object.fromEntries(
          LANGUAGES.map((language) => [language, wordsOf(bundle, language, [...parts]).map(addressOf)]),
        )
        const listed = { entry: entry.fileName, files: [...files].map(addressOf), words }
        const hash = createHash('sha256').update(JSON.stringify(listed))
        hash.update(String(bundle['index.html']?.source ?? ''))
        for (const name of ['start.js', 'manifest.webmanifest', 'favicon.svg'])
          hash.update(readFileSync(`public/${name}`))
        const id = hash.digest('hex').slice(0, 12)
        this.emitFile({ type: 'asset', fileName: 'worker.js', source: await workerWith({ id, ...listed }) })
      },
    },
  }
}

/** @param {string} file */
const addressOf = (file) => `/library/${file}`

/** @param {object} written */
async function workerWith(written) {
  const output = await build({
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    define: { BUILD: JSON.stringify(written) },
    build: {
      write: false,
      target: ['chrome120', 'edge120', 'firefox124', 'safari17.4'],
      rolldownOptions: { input: 'src/offline/worker.ts', output: { format: 'iife' } },
    },
  })
  const [
    {
      output: [chunk],
    },
  ] = [output].flat()
  return chunk.code
}
