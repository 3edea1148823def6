/**
 * The message catalogue: its Vite plugin, its TypeScript types, and its checks in the gate.
 *
 *   node scripts/messages.mjs           writes src/messages/types.ts (git ignores it) and sorts the catalogues
 *   node scripts/messages.mjs --check   fails on a key that is missing, unused or takes other parameters in another
 *                                       language, and on hard-coded text for people
 */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isPoundElement, isTagElement, parse, TYPE } from '@formatjs/icu-messageformat-parser'
import compile from 'icu-minify/compile'
import ts from 'typescript'

const web = join(import.meta.dirname, '..')
const folder = join(web, 'src/messages')

export const LANGUAGES = /** @type {const} */ (['en', 'hi'])

/** Messages of the sign-in page, which are loaded first. */
const FIRST = [
  /^account\.(?!forgot|provider|reset|redeem|register|setup)/,
  /^common\.(?!cancel|clearSearch|cop|day|money|number|stars|undo)/,
  /^problem\.(?!backups-|book-|copy-|cross-origin|disk-full|email-taken|forbidden|idempotency-|import-|invalid-code|invalid-link|invalid-passkey|invalid-second-|invalid-setup-|last-|loan-|mail-off|malformed-|method-|more-|no-own-|not-found|not-signed-in|outcome-|own-|passkey-|payload-|person-|phone|provider-|refused|request-timeout|roll-number-taken|second-|setup-|sign-in-expired|stale|too-many-passkeys|too-many-phones|unsound-|unsupported-|version-)/,
  /^app\.(?!deed|help|nav|palette|person|signOutFailed)/,
  /^field\.(notEmail|required)$/,
  /^label\.(?!Authenticator|BookForm|CardLookup|Category|ClosedDates|FirstLibrarian|ForgottenPassword|LibrarySettings|NewPasskey|NoticeSettings|Password|PersonForm|ProfileEdit|ProviderLink|Redemption|Registration|ReviewForm|SecondFactor)/,
]

/** Parts that several features share; the first match counts. */
const SHARED = [
  // Server messages for any request, and the names of their parameters (NAMED in lib/messages.ts).
  ['common', /^(common|list|problem|field|label|block)\.|^(copies\.state|desk\.screen\.method|money\.charge)(\.|$)/],
  // Tables of several features.
  ['common', /^(copies|loans|people)\.column\.|^loans\.anyway\.|^(people\.print|activity\.difference)$/],
  // Frame around the screens, with the labels of its links.
  [
    'frame',
    /^(app|change|explain|instead|notice|undone)\.|^(books\.add|books\.popular\.title|books\.quick\.title|desk\.today\.title|security\.title)$/,
  ],
  // Results of the desk's tasks, also shown while another screen is open.
  ['frame', /^desk\.screen\.(charged|closing|dropCard|lost|refunded|setAside|taken|waived)$/],
  ['frame', /^money\.(close\.done|reverse\.done|reverse\.chargeDone)$/],
  // The frame shows the outbox.
  ['frame', /^outbox\./],
  ['account', /^(secondStep|passkey)\./],
  // Only librarians read these words about books, on screens that need the words of copies too.
  ['copies', /^(toShelve|books\.(edit|import|lookUp|quick))\./],
  // Mails and their states: another part would lengthen the list of parts in the first load.
  ['people', /^(import|letter|mail|mails)\./],
  ['books', /^overview\./],
  ['settings', /^effect\./],
]

/** @typedef {Record<string, string>} Catalogue */

/** @param {string} file @returns {Catalogue} */
const read = (file) => JSON.parse(readFileSync(join(folder, file), 'utf8'))

/**
 * Returns every message of a language; in English those of the screens (`en.json`) and of the server (`server.json`).
 *
 * @param {string} language
 * @returns {Catalogue}
 */
export function catalogueOf(language) {
  return language === 'en' ? { ...read('server.json'), ...read('en.json') } : read(`${language}.json`)
}

/**
 * Returns the names of common genres in a language, as messages `genre.<English name in lower case>` of the part
 * `books`. English has none: genres are stored, searched and sent by their English name, which is also the fallback.
 *
 * @param {string} language
 * @returns {Catalogue}
 */
export function genresOf(language) {
  if (language === 'en') return {}
  const names = Object.entries(read(`genres.${language}.json`))
  return Object.fromEntries(names.map(([genre, name]) => [`genre.${genre.toLowerCase()}`, name]))
}

/**
 * Returns the labels of a part in a language, as messages `label.<English label>`: the server sends the label of an
 * invalid field in English. English has none.
 *
 * @param {string} language
 * @param {string} part
 * @returns {[string, string][]}
 */
function labelsOf(language, part) {
  if (language === 'en') return []
  const [english, server] = [catalogueOf('en'), read('server.json')]
  return Object.entries(catalogueOf(language))
    .filter(([key]) => key.startsWith('label.') && partOf(key, server) === part)
    .map(([key, text]) => [`label.${english[key]}`, text])
}

/**
 * Returns the part of a message: `first`, a shared one, or its area, which is the key up to its first dot.
 *
 * @param {string} key
 * @returns {string}
 */
export function partOf(key, server = read('server.json')) {
  if (FIRST.some((area) => area.test(key))) return 'first'
  const [part] = SHARED.find(([, area]) => area.test(key)) ?? []
  if (part !== undefined) return part
  // Phones show the server's results of scans too.
  if (key.startsWith('desk.') && key in server) return 'common'
  return key.slice(0, key.indexOf('.'))
}

/** @returns {string[]} */
function partNames() {
  const server = read('server.json')
  return [...new Set(Object.keys(catalogueOf('en')).map((key) => partOf(key, server)))].toSorted()
}

/**
 * Serves `virtual:messages`, the loaders of every part by language, and `virtual:messages/<language>-<part>`: messages
 * parsed at build time, so that the browser needs no parser.
 */
export function messagesPlugin() {
  const NAME = /^virtual:messages\/(\w+)-(\w+)$/
  return {
    name: 'library-messages',
    /** @param {string} id */
    resolveId: (id) => (id === 'virtual:messages' || NAME.test(id) ? `\0${id}` : undefined),
    /** @param {string} id */
    load(id) {
      if (id === '\0virtual:messages') {
        const parts = (language) =>
          partNames().map((part) => `${part}: () => import('virtual:messages/${language}-${part}')`)
        return `export default { ${LANGUAGES.map((name) => `${name}: { ${parts(name).join(', ')} }`).join(', ')} }`
      }
      const [, language = '', part] = NAME.exec(id.slice(1)) ?? []
      if (!part) return undefined
      for (const file of [`${language}.json`, language === 'en' ? 'server.json' : `genres.${language}.json`]) {
        this.addWatchFile(join(folder, file))
      }
      const server = read('server.json')
      const messages = Object.entries(catalogueOf(language))
        .filter(([key]) => partOf(key, server) === part)
        .concat(part === 'books' ? Object.entries(genresOf(language)) : [], labelsOf(language, part))
        .map(([key, text]) => [key, compile(text)])
      return `export default JSON.parse(${JSON.stringify(JSON.stringify(Object.fromEntries(messages)))})`
    },
    /** Passes the files of each language's first messages to start.js, which loads them in parallel with the code. */
    transformIndexHtml: {
      order: /** @type {const} */ ('post'),
      /** @param {string} html @param {{ bundle?: Record<string, { facadeModuleId?: string | null }> }} context */
      handler(html, { bundle = {} }) {
        const attributes = LANGUAGES.map((language) => {
          const isFirst = ([, chunk]) => chunk.facadeModuleId === `\0virtual:messages/${language}-first`
          const [file] = Object.entries(bundle).find(isFirst) ?? []
          return file ? ` data-${language}="/library/${file}"` : ''
        })
        return html.replace('src="/library/start.js"', (tag) => tag + attributes.join(''))
      },
    },
  }
}

/**
 * Returns the parameters of a message and the kind of each.
 *
 * @param {string} text
 * @returns {Map<string, string>}
 */
export function paramsOf(text) {
  const found = new Map()
  const take = (name, kind) => {
    // `{n, plural, …}` beside a plain `{n}` is still a number.
    if (!found.has(name) || found.get(name) === 'text') found.set(name, kind)
  }
  /** @param {ReturnType<typeof parse>} elements */
  function walk(elements) {
    for (const element of elements) {
      if (isPoundElement(element) || element.type === TYPE.literal) continue
      if (isTagElement(element)) {
        take(element.value, 'tag')
        walk(element.children)
      } else if (element.type === TYPE.select) {
        take(element.value, `one of ${Object.keys(element.options).toSorted().join('|')}`)
        for (const option of Object.values(element.options)) walk(option.value)
      } else if (element.type === TYPE.plural) {
        if (element.offset) throw new Error('a plural with an offset is not supported')
        take(element.value, 'number')
        for (const option of Object.values(element.options)) walk(option.value)
      } else {
        take(element.value, element.type === TYPE.number ? 'number' : element.type === TYPE.argument ? 'text' : 'date')
      }
    }
  }
  walk(parse(text))
  return found
}

const signatureOf = (text) =>
  [...paramsOf(text)]
    .map(([name, kind]) => `${name}: ${kind}`)
    .toSorted()
    .join(', ')

/**
 * Returns how other catalogues differ from the English one in their keys and parameters.
 *
 * @param {Catalogue} english
 * @param {Record<string, Catalogue>} others
 */
export function differences(english, others) {
  const wrong = []
  const signatures = {}
  for (const [key, text] of Object.entries(english)) {
    try {
      signatures[key] = signatureOf(text)
    } catch (error) {
      wrong.push(`en: ${key}: ${error.message}`)
    }
  }
  for (const [language, catalogue] of Object.entries(others)) {
    for (const key of Object.keys(english)) if (!(key in catalogue)) wrong.push(`${language}: ${key} is missing`)
    for (const [key, text] of Object.entries(catalogue)) {
      if (!(key in english)) {
        wrong.push(`${language}: ${key} is not in English`)
        continue
      }
      try {
        const signature = signatureOf(text)
        if (signature !== signatures[key]) {
          wrong.push(`${language}: ${key} takes {${signature}}, in English {${signatures[key]}}`)
        }
      } catch (error) {
        wrong.push(`${language}: ${key}: ${error.message}`)
      }
    }
  }
  return wrong
}

/**
 * Returns the keys that a source names: as literals, or as patterns of templates.
 *
 * @param {ts.SourceFile} source
 * @returns {{ names: Set<string>, patterns: RegExp[] }}
 */
export function usesIn(source) {
  const names = new Set()
  const patterns = []
  const escape = (text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  const visit = (node) => {
    if (ts.isStringLiteralLike(node)) names.add(node.text)
    else if (ts.isTemplateExpression(node) && /^[a-z]+\.[\w.]*$/i.test(node.head.text)) {
      const rest = node.templateSpans.map(({ literal }) => String.raw`[\w-]+` + escape(literal.text))
      patterns.push(new RegExp(`^${escape(node.head.text)}${rest.join('')}$`))
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return { names, patterns }
}

/**
 * Returns the files that a file imports, by their paths below `web`; for a folder's `index.ts`, the files from which it
 * exports the imported names.
 *
 * @param {ts.SourceFile} source
 * @param {ReadonlyMap<string, ts.SourceFile>} sources
 * @returns {string[]}
 */
export function importsOf(source, sources) {
  const found = new Set()
  const fileOf = (from, specifier) => {
    const at = posix.join(posix.dirname(from), specifier)
    return [at, `${at}.ts`, `${at}.tsx`, `${at}/index.ts`].find((name) => sources.has(name))
  }
  /** Adds the files from which an `index.ts` exports the names, or the file itself if the names are unknown. */
  const add = (file, names) => {
    const index = names && file.endsWith('/index.ts') ? sources.get(file) : undefined
    const exports = index?.statements.filter((one) => ts.isExportDeclaration(one) && one.exportClause) ?? []
    for (const { exportClause, moduleSpecifier } of exports) {
      const has = exportClause.elements.some(({ name }) => names.includes(name.text))
      if (has) found.add(fileOf(file, moduleSpecifier.text))
    }
    if (exports.length === 0) found.add(file)
  }
  const visit = (node) => {
    const isModule = ts.isImportDeclaration(node) || ts.isExportDeclaration(node)
    const isDynamic = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
    const specifier = isModule ? node.moduleSpecifier : isDynamic ? node.arguments[0] : undefined
    if (specifier && ts.isStringLiteral(specifier) && specifier.text.startsWith('.')) {
      const clause = ts.isImportDeclaration(node) ? node.importClause : undefined
      const file = fileOf(source.fileName, specifier.text)
      const bindings = clause?.namedBindings
      const names =
        bindings && ts.isNamedImports(bindings)
          ? bindings.elements.map((one) => (one.propertyName ?? one.name).text)
          : null
      if (file !== undefined && !clause?.isTypeOnly) add(file, names)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return [...found]
}

/** Tables of screens: not followed, because they import every screen, and the frame has the labels of their links. */
const TABLE = /(^|\/)screens(\/index)?\.ts$/

/** Modules that show server messages of a part, whose keys no code names. */
const SHOWS = new Map([['src/features/imports/RejectedRows.tsx', 'people']])

/** Module that loads the parts `common` and `frame`. */
const FRAME = 'src/app/Shell.tsx'

/**
 * Checks that every screen names the parts of the messages in its code.
 *
 * @param {ts.SourceFile[]} sources
 * @returns {string[]}
 */
export function missingParts(sources) {
  const byName = new Map(sources.map((source) => [source.fileName, source]))
  const server = read('server.json')
  const keys = Object.keys(catalogueOf('en'))
  const partsOf = new Map(
    sources.map((source) => {
      const { names, patterns } = usesIn(source)
      const used = keys.filter((key) => names.has(key) || patterns.some((pattern) => pattern.test(key)))
      return [source.fileName, new Set(used.map((key) => partOf(key, server)))]
    }),
  )
  const needed = (file, parts = new Set(), seen = new Set()) => {
    if (seen.has(file) || TABLE.test(file)) return parts
    seen.add(file)
    for (const part of partsOf.get(file)) parts.add(part)
    if (SHOWS.has(file)) parts.add(SHOWS.get(file))
    for (const next of importsOf(byName.get(file), byName)) needed(next, parts, seen)
    return parts
  }
  const wrong = []
  const strange = byName.has(FRAME)
    ? [...needed(FRAME)].filter((part) => !['first', 'common', 'frame'].includes(part))
    : []
  if (strange.length > 0)
    wrong.push(`${FRAME} says words of '${strange.join("', '")}', which belong into the part 'frame'`)
  for (const table of sources.filter(({ fileName }) => TABLE.test(fileName))) {
    const visit = (node) => {
      ts.forEachChild(node, visit)
      if (!ts.isObjectLiteralExpression(node)) return
      const property = (name) => node.properties.find((one) => one.name?.getText(table) === name)?.initializer
      const [load, words] = [property('load'), property('words')]
      const [screen] = load ? importsOf(sourceOf(table.fileName, load.getText(table)), byName) : []
      if (!screen) return
      const isLone = property('for')?.getText(table) === "'visitor'"
      const named = words && ts.isArrayLiteralExpression(words) ? words.elements.map(({ text }) => text) : []
      const known = new Set(['first', ...(isLone ? [] : ['common', 'frame']), ...named])
      const missing = [...needed(screen)].filter((part) => !known.has(part))
      const spare = named.filter((part) => !needed(screen).has(part))
      if (missing.length > 0) wrong.push(`${table.fileName}: the words of ${screen} lack '${missing.join("', '")}'`)
      if (spare.length > 0) wrong.push(`${table.fileName}: ${screen} does not need the words '${spare.join("', '")}'`)
    }
    visit(table)
  }
  return wrong
}

/** Names of JSX attributes and object properties with text for people. */
const TEXT_NAMES =
  /^(label|title|placeholder|description|error|children|alt|message|confirm|cancel|advice|text|words|summary|aria-(label|description|valuetext|roledescription|placeholder))$/
const SENTENCE = /^[“(]?\p{Lu}.*\p{L}{2}.*\s.*\p{L}{2}/u
/** Returns whether a text has words to translate; the name of the product is the same in every language. */
const hasWords = (text) => /\p{L}/u.test(text.replaceAll('My Library', ''))

/**
 * Returns the text for people that is hard-coded instead of in the catalogue.
 *
 * @param {ts.SourceFile} source
 * @returns {{ line: number, text: string }[]}
 */
export function hardCoded(source) {
  const found = new Map()
  const report = (node, text) => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source))
    found.set(node.getStart(source), { line: line + 1, text: text.trim() })
  }
  /** Reports the literals of a value; arguments of functions are not shown. */
  const literals = (node) => {
    if (ts.isStringLiteralLike(node)) {
      if (hasWords(node.text)) report(node, node.text)
    } else if (ts.isTemplateExpression(node)) {
      const text = [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…')
      if (hasWords(text)) report(node, text)
      for (const { expression } of node.templateSpans) literals(expression)
    } else if (ts.isConditionalExpression(node)) {
      literals(node.whenTrue)
      literals(node.whenFalse)
    } else if (ts.isBinaryExpression(node) && !/^[=!<>]/.test(node.operatorToken.getText(source))) {
      literals(node.left)
      literals(node.right)
    } else if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isJsxExpression(node)) {
      if (node.expression) literals(node.expression)
    }
  }
  const isForDevelopers = (node) =>
    (ts.isNewExpression(node) && node.expression.getText(source).endsWith('Error')) ||
    (ts.isCallExpression(node) && /^(console\.\w+|super|raise)$/.test(node.expression.getText(source))) ||
    (ts.isPropertyAssignment(node) && node.name.getText(source) === 'fault') ||
    (ts.isJsxAttribute(node) && node.name.getText(source) === 'aria-keyshortcuts') ||
    ts.isImportDeclaration(node) ||
    ts.isTypeNode(node)
  const visit = (node) => {
    if (isForDevelopers(node)) return
    if (ts.isJsxText(node)) {
      if (hasWords(node.text)) report(node, node.text)
    } else if (ts.isJsxExpression(node) && !ts.isJsxAttribute(node.parent)) literals(node)
    else if (ts.isJsxAttribute(node) && TEXT_NAMES.test(node.name.getText(source)) && node.initializer) {
      literals(node.initializer)
    } else if (ts.isPropertyAssignment(node) && TEXT_NAMES.test(node.name.getText(source).replaceAll("'", ''))) {
      literals(node.initializer)
    } else if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node)) {
      if (SENTENCE.test(node.text) && hasWords(node.text)) report(node, node.text)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return [...found.values()]
}

/** @param {string} name @param {string} text */
export const sourceOf = (name, text) => ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true)

/** Files without text for people. */
const NO_TEXT = /^src\/(api\/(schema|contract)|messages\/labels|theme\/|testing\/)/

function checkAll() {
  const files = readdirSync(join(web, 'src'), { recursive: true })
    .map((name) => `src/${String(name)}`)
    .filter((name) => /\.tsx?$/.test(name) && !/\.(test\.tsx?|d\.ts)$/.test(name) && name !== 'src/messages/types.ts')
  const sources = files.map((name) => sourceOf(name, readFileSync(join(web, name), 'utf8')))
  const own = read('en.json')
  const server = read('server.json')
  const wrong = Object.keys(own)
    .filter((key) => key in server)
    .map((key) => `en: ${key} is the server's own`)
  wrong.push(...differences(catalogueOf('en'), { hi: catalogueOf('hi') }))

  const uses = sources.map(usesIn)
  for (const key of Object.keys(own)) {
    const used = uses.some(({ names, patterns }) => names.has(key) || patterns.some((pattern) => pattern.test(key)))
    if (!used) wrong.push(`en: ${key} is not used`)
  }
  wrong.push(...missingParts(sources))
  for (const source of sources) {
    if (NO_TEXT.test(source.fileName)) continue
    for (const { line, text } of hardCoded(source)) {
      // A table of screens has the key of each label.
      if (!(text in own)) wrong.push(`${source.fileName}:${line}: “${text}” is not in the catalogue`)
    }
  }
  return wrong
}

const TYPES = { number: 'number', text: 'string | number', date: 'string', tag: 'Tag' }

function typesText() {
  const lines = Object.entries(catalogueOf('en'))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, text]) => {
      const params = [...paramsOf(text)].map(([name, kind]) => {
        const choices = kind.startsWith('one of ') ? kind.slice(7).split('|') : null
        const type = choices?.includes('other') ? 'string' : (TYPES[kind] ?? choices?.map((c) => `'${c}'`).join(' | '))
        return `${name}: ${type}`
      })
      return `  '${key}': ${params.length === 0 ? 'null' : `{ ${params.join('; ')} }`}`
    })
  return `// Generated by scripts/messages.mjs from en.json and server.json. Do not edit.
import type { ReactNode } from 'react'

/** Wraps a part of a message, for instance in a link. */
export type Tag = (parts: readonly ReactNode[]) => ReactNode

/** Files into which the messages are split. */
export type MessagePart = ${partNames()
    .map((part) => `'${part}'`)
    .join(' | ')}

/** Parameters of each message. */
export type Messages = {
${lines.join('\n')}
}
`
}

/** Sorts a catalogue by key, so that concurrent additions seldom conflict. */
function sort(file) {
  const before = readFileSync(join(folder, file), 'utf8')
  const entries = Object.entries(JSON.parse(before)).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const after = `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`
  if (after !== before) writeFileSync(join(folder, file), after)
}

/** Writes the types if they changed. */
export function writeTypes() {
  const target = join(folder, 'types.ts')
  const text = typesText()
  let before = ''
  try {
    before = readFileSync(target, 'utf8')
  } catch {
    // The file does not exist yet.
  }
  if (text !== before) writeFileSync(target, text)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes('--check')) {
    const wrong = checkAll()
    for (const line of wrong) console.error(line)
    if (wrong.length > 0) process.exit(1)
  } else {
    for (const language of LANGUAGES) sort(`${language}.json`)
    writeTypes()
  }
}
