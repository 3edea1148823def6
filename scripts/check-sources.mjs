// Checks missing from other linters (make lint): secrets, text put into a page as markup, packages without a hash, the
// tests that docs/security.md names, and, as a warning only, unclear words in comments and docs.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'

const root = new URL('..', import.meta.url)
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '')
const wrong = []
const read = (file) => {
  try {
    return readFileSync(new URL(file, root), 'utf8')
  } catch {
    // Deleted, but still in the index.
    return ''
  }
}

/** ASVS 13.3.1: keys and passwords in sources. */
const SECRETS = [
  /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/,
  /\bAKIA[0-9A-Z]{16}\b/,
  /\bgh[pousr]_[A-Za-z0-9]{36}/,
  /\bxox[abprs]-[A-Za-z0-9-]{10}/,
  /\bglpat-[\w-]{20}/,
  /\beyJ[\w-]{20,}\.eyJ[\w-]{20,}\.[\w-]{20,}/,
  /\bpostgres(?:ql)?:\/\/[^\s:@/]+:(?!b@|secret@|PASSWORD@)[^\s:@/{}]+@(?!127\.0\.0\.1|localhost)/,
]
/** Key of the tests' own provider; it opens nothing. */
const THROWN_AWAY = new Set(['tests/fixtures/provider.pem'])
/** ASVS 1.2.1, 1.3.2, 3.5.5: the screens never use text as markup or code. */
const MARKUP =
  /dangerouslySetInnerHTML|\.(?:inner|outer)HTML\s*=|insertAdjacentHTML|document\.write|srcdoc|\beval\(|new Function\(|window\.addEventListener\('message'/

for (const file of files) {
  if (/\.(?:png|woff2?|gz|wasm|jpe?g|ico)$/.test(file) || file.startsWith('tests/fuzz/corpus/')) continue
  if (THROWN_AWAY.has(file)) continue
  const text = read(file)
  if (/(?:^|\/)\.env|\.(?:pem|key|p12)$/.test(file)) wrong.push(`${file}: belongs to one installation`)
  for (const secret of SECRETS) {
    const found = secret.exec(text)
    if (found && file !== 'scripts/check-sources.mjs') wrong.push(`${file}: looks like a secret: ${found[0].slice(0, 20)}…`)
  }
  if (/^web\/(?:src|public)\/|^web\/index\.html$/.test(file) && !/\.test\.tsx?$/.test(file)) {
    const found = MARKUP.exec(text)
    if (found) wrong.push(`${file}: ${found[0]} makes markup or code of text`)
  }
}

// Decision 119: development tools for other platforms have no hash; everything built or run here has one.
const lock = JSON.parse(read('web/package-lock.json'))
for (const [path, { integrity, dev, optional, hasInstallScript }] of Object.entries(lock.packages)) {
  if (path === '') continue
  if (!integrity && !(dev && optional)) wrong.push(`web/package-lock.json: ${path} has no integrity`)
  if (hasInstallScript) wrong.push(`web/package-lock.json: ${path} wants to run a script when it is installed`)
}
for (const lockFile of ['Cargo.lock', 'fuzz/Cargo.lock']) {
  for (const block of read(lockFile).split('[[package]]').slice(1)) {
    const name = /name = "(.+)"/.exec(block)?.[1] ?? ''
    if (!name.startsWith('library') && !block.includes('checksum = ')) wrong.push(`${lockFile}: ${name} has no checksum`)
  }
}

// docs/security.md: each table line names an existing test, or a reason.
/** Files by base name. */
const byName = {}
for (const file of files) (byName[basename(file)] ??= []).push(file)
let lines = 0
let named = 0
for (const line of read('docs/security.md').split('\n')) {
  if (!/^\| (?:T?\d|V\d)/.test(line)) continue
  lines += 1
  const shown = line.split(' | ').at(-1) ?? ''
  const references = [...shown.matchAll(/`([\w.-]+\.(?:rs|tsx?|toml|md|mjs|py)): ([^`]+)`/g)]
  named += references.length
  if (references.length === 0 && !shown.includes('**Why not:**')) {
    wrong.push(`docs/security.md: neither a test nor a reason: ${line.slice(0, 80)}`)
  }
  for (const [, file, name] of references) {
    const wanted = file.endsWith('.rs') && /^\w+$/.test(name) ? new RegExp(`fn ${name}\\b`) : undefined
    const there = (byName[file] ?? []).some((path) => (wanted ? wanted.test(read(path)) : read(path).includes(name)))
    if (!there) wrong.push(`docs/security.md: there is no ${name} in ${file}`)
  }
}
if (lines < 50) wrong.push('docs/security.md: its tables are not found')

// Warns about comments and pages that hide the actor or the verb.
const RIDDLES =
  /\b(?:whoever|somebody|anybody|nobody|those who|(?:is|are) told|who (?:comes|waits|hears)|stands|of it|by which|what it is)\b/i
/** Returns the prose of a line: of a page without its code, of a source only comment lines. */
function prose(file, line) {
  if (file.endsWith('.md')) return line.replaceAll(/`[^`]*`/g, '')
  const isComment = file.includes('.') ? /^\s*(?:\/\/|\/\*|\* )/ : /^\s*#/
  return isComment.test(line) ? line : ''
}
const riddles = {}
for (const file of files) {
  const folder = /^(?:src|web\/(?:src|e2e|bench|scripts)|tests|docs|bench|scripts)(?=\/)/.exec(file)?.[0]
  if (!folder || !/(?:^|\/)[^./]+$|\.(?:rs|tsx?|mjs|md)$/.test(file)) continue
  for (const [at, line] of read(file).split('\n').entries()) {
    if (RIDDLES.test(prose(file, line))) (riddles[folder] ??= []).push(`${file}:${at + 1}: ${line.trim()}`)
  }
}
const counts = Object.entries(riddles).map(([folder, found]) => `${folder} ${found.length}`)
if (counts.length > 0) console.log(`Lines to say plainly: ${counts.join(', ')}. The first 20:`)
for (const each of Object.values(riddles).flat().slice(0, 20)) console.log(`  ${each}`)

for (const each of wrong) console.error(each)
console.log(`${files.length} files, ${lines} lines of docs/security.md with ${named} tests: ${wrong.length} wrong`)
process.exitCode = wrong.length > 0 ? 1 : 0
