/**
 * Measures the built chunks with gzip and fails if one exceeds its budget: the first load of the sign-in screen, all that
 * a student's home needs, the chunk that screens share, and the further chunks of each screen.
 */
import { readFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'

const KIB = 1024
const BUDGET = { first: 168, home: 246, shared: 60, screen: 40 }

const dist = new URL('../dist/', import.meta.url)
const manifest = JSON.parse(await readFile(new URL('.vite/manifest.json', dist), 'utf8'))

const sizes = new Map()
async function sizeOf(file) {
  if (!sizes.has(file)) sizes.set(file, gzipSync(await readFile(new URL(file, dist))).length)
  return sizes.get(file)
}

/** Returns the files of a manifest entry and of its static imports. */
function filesOf(key, found = new Set(), seen = new Set()) {
  if (seen.has(key)) return found
  seen.add(key)
  const entry = manifest[key]
  found.add(entry.file)
  for (const file of entry.css ?? []) found.add(file)
  for (const name of entry.imports ?? []) filesOf(name, found, seen)
  return found
}

async function total(files) {
  let sum = 0
  for (const file of files) sum += await sizeOf(file)
  return sum / KIB
}

const entry = Object.keys(manifest).find((key) => manifest[key].isEntry)
const signIn = Object.keys(manifest).find((key) => key.endsWith('/SignInScreen.tsx'))
const first = new Set([...filesOf(entry), ...(signIn ? filesOf(signIn) : [])])
// Only one language is loaded: the largest counts.
const messages = Object.values(manifest).filter(({ name }) => /^[a-z]{2}-first$/.test(name))
const sizesOfMessages = await Promise.all(messages.map(({ file }) => sizeOf(file)))
if (messages.length < 2) throw new Error('The messages of two languages are no chunks of their own')
// As index.html names them for public/start.js; the font is for wider screens.
const page = await readFile(new URL('index.html', dist), 'utf8')
const home = JSON.parse(page.match(/data-screens='([^']*)'/)[1])['student-home']
const homeFiles = new Set([...first, ...home.all.concat(home.hi).map((file) => `static/${file}`)])
const uiKey = Object.keys(manifest).find((key) => manifest[key].name === 'ui')
const ui = uiKey ? new Set([...filesOf(uiKey)].filter((file) => !homeFiles.has(file))) : new Set()

// Screens are shown in the frame, which is already loaded with its menus.
const [shell, menu] = ['/Shell.tsx', '/PersonList.tsx'].map((name) =>
  Object.keys(manifest).find((key) => key.endsWith(name)),
)
const frame = filesOf(menu, filesOf(shell))

const rows = [
  ['first load of /login', (await total(first)) + Math.max(...sizesOfMessages) / KIB, BUDGET.first],
  ["a student's home", (await total(homeFiles)) + Math.max(...sizesOfMessages) / KIB, BUDGET.home],
  ['shared chunk', await total(ui), BUDGET.shared],
]
for (const key of Object.keys(manifest).filter((name) => manifest[name].isDynamicEntry)) {
  if (key === shell || messages.includes(manifest[key])) continue
  const inFrame = !key.includes('/account/')
  const own = [...filesOf(key)].filter((file) => !homeFiles.has(file) && !ui.has(file) && !(inFrame && frame.has(file)))
  if (own.length > 0) rows.push([key.replace('src/', ''), await total(own), BUDGET.screen])
}

let over = 0
for (const [name, size, limit] of rows) {
  const fits = size <= limit
  if (!fits) over += 1
  console.log(`${fits ? ' ' : '!'} ${size.toFixed(1).padStart(6)} of ${String(limit).padStart(3)} KiB  ${name}`)
}
if (over > 0) {
  console.error(`${over} over budget`)
  process.exit(1)
}
