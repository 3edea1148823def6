/**
 * Writes the first files of the students' screens, by address, into `index.html` for public/start.js: a phone on a slow
 * connection fetches them in parallel with the first chunk instead of after it.
 */
import { catalogueOf, LANGUAGES } from './messages.mjs'

/**
 * Screens by the prefix of their address, with their parts of the messages (screens.ts).
 *
 * @type {Record<string, [string, string[]]>}
 */
export const SCREENS = {
  'student-home': ['features/books/lists/StudentHomeScreen.tsx', ['books']],
  'stubook-detail/': ['features/books/detail/StudentBookDetailScreen.tsx', ['books', 'holds', 'profile']],
  profile: ['features/profile/ProfileScreen.tsx', ['desk', 'holds', 'loans', 'money', 'profile']],
  'new-home': ['features/books/lists/PopularScreen.tsx', ['books']],
}
const FRAME = { source: 'app/Shell.tsx', parts: ['common', 'frame'] }

/**
 * Returns the files of a chunk and of all its imports, without those of the first load.
 *
 * @param {Record<string, any>} bundle
 * @param {string} source
 * @param {Set<string>} first
 */
export function filesOf(bundle, source, first) {
  const scripts = new Set()
  const sheets = new Set()
  const visit = (/** @type {string} */ file) => {
    if (first.has(file) || scripts.has(file)) return
    scripts.add(file)
    const chunk = bundle[file]
    for (const sheet of chunk?.viteMetadata?.importedCss ?? []) sheets.add(sheet)
    for (const next of chunk?.imports ?? []) visit(next)
  }
  const [file] =
    Object.entries(bundle).find(([, { facadeModuleId }]) => facadeModuleId?.endsWith(`/src/${source}`)) ?? []
  if (file) visit(file)
  return [...scripts, ...sheets]
}

/** @param {Record<string, any>} bundle */
export function firstLoad(bundle) {
  const first = new Set()
  const visit = (/** @type {string} */ file) => {
    if (first.has(file)) return
    first.add(file)
    for (const next of bundle[file]?.imports ?? []) visit(next)
  }
  for (const [file, { isEntry }] of Object.entries(bundle)) if (isEntry) visit(file)
  return first
}

/**
 * Returns the files of the given parts of the messages.
 *
 * @param {Record<string, any>} bundle
 * @param {string} language
 * @param {string[]} parts
 */
export function wordsOf(bundle, language, parts) {
  return parts.flatMap((part) =>
    Object.entries(bundle)
      .filter(([, { facadeModuleId }]) => facadeModuleId === `\0virtual:messages/${language}-${part}`)
      .map(([file]) => file),
  )
}

/** Keys of the home's words that start.js shows before the app: its heading, the box's two, and a book's without author. */
const EARLY = ['student.title', 'search.label', 'search.placeholder', 'unknownAuthor']

/** Returns {@link EARLY}'s words by language. */
const earlyWords = () =>
  Object.fromEntries(
    LANGUAGES.map((language) => {
      const words = catalogueOf(language)
      return [language, EARLY.map((key) => words[`books.${key}`])]
    }),
  )

/** @param {unknown} value */
const attribute = (value) => JSON.stringify(value).replaceAll('&', '&amp;').replaceAll("'", '&#39;')

/**
 * Writes onto the tag of start.js `data-screens`, `{ "profile": { "all": [files], "en": [files], "hi": [files] } }`, and
 * `data-early`, {@link earlyWords}.
 */
export function preloadPlugin() {
  return {
    name: 'library-preload',
    transformIndexHtml: {
      order: /** @type {const} */ ('post'),
      /** @param {string} html @param {{ bundle?: Record<string, any> }} context */
      handler(html, { bundle }) {
        if (!bundle) return html
        const first = firstLoad(bundle)
        const screens = Object.fromEntries(
          Object.entries(SCREENS).map(([address, [source, parts]]) => {
            const all = new Set([FRAME.source, source].flatMap((one) => filesOf(bundle, one, first)))
            const needed = { all: [...all] }
            for (const language of LANGUAGES) needed[language] = wordsOf(bundle, language, FRAME.parts.concat(parts))
            return [address, needed]
          }),
        )
        const text = attribute(screens).replaceAll('static/', '')
        const early = attribute(earlyWords())
        return html.replace('src="/library/start.js"', (tag) => `${tag} data-screens='${text}' data-early='${early}'`)
      },
    },
  }
}
