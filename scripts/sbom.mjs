// Writes the software bill of materials as CycloneDX 1.6 (make sbom): the compiled crates and the packages of the
// screens, each with version, licence and hash, from the two lock files. Usage: node scripts/sbom.mjs FILE
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

const root = new URL('..', import.meta.url)
const [target] = process.argv.slice(2)
if (!target) throw new Error('Usage: node scripts/sbom.mjs FILE')
const TRIPLE = 'x86_64-unknown-linux-gnu'
const cargo = JSON.parse(
  execFileSync('cargo', ['metadata', '--locked', '--offline', '--format-version=1', `--filter-platform=${TRIPLE}`], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  }),
)
const checksums = new Map(
  [...readFileSync(new URL('Cargo.lock', root), 'utf8').matchAll(/name = "(.+)"\nversion = "(.+)"\nsource = .+\nchecksum = "(.+)"/g)].map(
    ([, name, version, checksum]) => [`${name}@${version}`, checksum],
  ),
)
const packages = new Map(cargo.packages.map((each) => [each.id, each]))
const nodes = new Map(cargo.resolve.nodes.map((node) => [node.id, node]))

/** Compiled crates, without those of tests and build scripts. */
const linked = new Set()
const walk = (id) => {
  for (const { pkg, dep_kinds: kinds } of nodes.get(id).deps) {
    if (linked.has(pkg) || !kinds.some(({ kind }) => kind === null)) continue
    linked.add(pkg)
    walk(pkg)
  }
}
walk(cargo.resolve.root)

const library = packages.get(cargo.resolve.root)
const crates = [...linked].map((id) => {
  const { name, version, license } = packages.get(id)
  const purl = `pkg:cargo/${name}@${version}`
  const hashes = [{ alg: 'SHA-256', content: checksums.get(`${name}@${version}`) }]
  return { type: 'library', 'bom-ref': purl, name, version, purl, licenses: [{ expression: license }], hashes }
})
const lock = JSON.parse(readFileSync(new URL('web/package-lock.json', root), 'utf8'))
const modules = Object.entries(lock.packages)
  .filter(([path, { dev }]) => path !== '' && !dev)
  .map(([path, { version, license, integrity }]) => {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
    const content = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex')
    return { type: 'library', 'bom-ref': purl, name, version, purl, licenses: [{ expression: license }], hashes: [{ alg: 'SHA-512', content }] }
  })
const components = [...crates, ...modules].toSorted((a, b) => (a.purl < b.purl ? -1 : 1))
for (const { purl, licenses, hashes } of components) {
  if (!licenses[0].expression || !hashes[0].content) throw new Error(`${purl} has no licence or no hash`)
}
const purl = `pkg:cargo/${library.name}@${library.version}`
const bom = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  metadata: { component: { type: 'application', 'bom-ref': purl, name: library.name, version: library.version, purl } },
  components,
}
writeFileSync(target, `${JSON.stringify(bom, null, 2)}\n`)
console.log(`${target}: ${crates.length} crates, ${modules.length} packages`)
