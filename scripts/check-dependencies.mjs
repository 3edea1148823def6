// Checks the crates offline, without compiling a tool first (make lint): licence, ban and source of each by deny.toml,
// and that each dependency of Cargo.toml is used. `make nightly` repeats this with cargo-deny and cargo-machete.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const root = new URL('..', import.meta.url)
const run = (program, ...args) => execFileSync(program, args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 })
const rules = readFileSync(new URL('deny.toml', root), 'utf8')
const listed = (name) => new RegExp(`^${name} = \\[([^\\]]*)\\]`, 'm').exec(rules)?.[1] ?? ''
const quoted = (text) => [...text.matchAll(/"([^"]+)"/g)].map(([, value]) => value)
const allowed = new Set(quoted(listed('allow')))
const banned = new Set([...rules.matchAll(/crate = "([^"]+)"/g)].map(([, name]) => name))
const targets = quoted(listed('targets'))
if (allowed.size === 0 || banned.size === 0 || targets.length === 0) throw new Error('deny.toml is not understood')

/** Returns whether an SPDX expression has an allowed choice. An exception (`WITH …`) only widens its licence. */
function isAllowed(expression) {
  const tokens = expression.replaceAll('/', ' OR ').match(/\(|\)|[^\s()]+/g) ?? []
  let at = 0
  const one = () => {
    if (tokens[at] === '(') {
      at += 1
      const inner = either()
      at += 1
      return inner
    }
    const fits = allowed.has(tokens[at])
    at += tokens[at + 1] === 'WITH' ? 3 : 1
    return fits
  }
  const all = () => {
    let fits = one()
    while (tokens[at] === 'AND') {
      at += 1
      fits = one() && fits
    }
    return fits
  }
  const either = () => {
    let fits = all()
    while (tokens[at] === 'OR') {
      at += 1
      fits = all() || fits
    }
    return fits
  }
  return either() && at === tokens.length
}
for (const [expression, expected] of [
  ['MIT OR Apache-2.0', true],
  ['MIT/GPL-3.0', true],
  ['(MIT OR GPL-3.0) AND GPL-2.0', false],
  ['Apache-2.0 WITH LLVM-exception AND Zlib', true],
  ['GPL-3.0', false],
  ['', false],
]) {
  if (isAllowed(expression) !== expected) throw new Error(`the reading of licences is wrong for: ${expression}`)
}

const wrong = []
const metadata = JSON.parse(
  run(
    'cargo',
    'metadata',
    '--locked',
    '--offline',
    '--format-version=1',
    ...targets.map((target) => `--filter-platform=${target}`),
  ),
)
const CRATES_IO = 'registry+https://github.com/rust-lang/crates.io-index'
for (const { id, name, version, license, source } of metadata.packages) {
  if (id === metadata.resolve.root) continue
  const crate = `${name} ${version}`
  if (!isAllowed(license ?? '')) wrong.push(`${crate}: its licence is ${license ?? 'not named'}`)
  if (banned.has(name)) wrong.push(`${crate} is banned by deny.toml`)
  if (source !== CRATES_IO) wrong.push(`${crate} comes from ${source ?? 'a folder'}`)
}

const library = metadata.packages.find(({ id }) => id === metadata.resolve.root)
const code = run('git', 'ls-files', '--cached', '--others', '--exclude-standard', '*.rs')
  .split('\n')
  .filter((file) => file !== '' && !file.startsWith('fuzz/'))
  .map((file) => {
    try {
      return readFileSync(new URL(file, root), 'utf8')
    } catch {
      return '' // Deleted, not yet committed.
    }
  })
  .join('\n')
for (const { name, rename, req } of library.dependencies) {
  const crate = (rename ?? name).replaceAll('-', '_')
  if (!new RegExp(`\\b${crate}(?:::|;| as )`).test(code)) wrong.push(`Cargo.toml: ${name} is not used`)
  if (req === '*') wrong.push(`Cargo.toml: ${name} has no version`)
}

for (const line of wrong) console.error(line)
console.log(`${metadata.packages.length - 1} crates: licences, bans, sources and use ${wrong.length === 0 ? 'are in order' : 'are not in order'}`)
process.exitCode = wrong.length === 0 ? 0 : 1
