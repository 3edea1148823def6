import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { posix } from 'node:path'
import { expect, it } from 'vitest'

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map((name) => `src/${name.replaceAll('\\', '/')}`)
  .filter((name) => /\.tsx?$/.test(name) && !/\.(test\.tsx?|d\.ts)$/.test(name) && !name.startsWith('src/testing/'))

/** Returns the files that a file imports statically, types included; dynamic imports do not count. */
function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8')
  const specifiers = [...text.matchAll(/^(?:import|export)\b(?:[^'"`;=(]*?\bfrom)? '(\.[^']+)'/gm)].map(
    ([, at]) => at ?? '',
  )
  return specifiers.flatMap((specifier) => {
    const at = posix.join(posix.dirname(file), specifier)
    const found = [at, `${at}.ts`, `${at}.tsx`, `${at}/index.ts`].find(
      (name) => existsSync(name) && statSync(name).isFile(),
    )
    return found !== undefined && files.includes(found) ? [found] : []
  })
}

/**
 * Returns the folder that a file counts as in the order of dependencies. A feature's table of screens is below every
 * file that links to these screens, and the contract's types are below the modules that use them.
 */
function folderOf(file: string): string {
  const [, top = '', feature = ''] = file.split('/')
  if (file.endsWith('/screens.ts')) return 'tables of screens'
  if (/^src\/api\/(types|schema|contract)\.ts$/.test(file)) return 'contract'
  return top === 'features' ? `features/${feature}` : top
}

/** Returns a cycle of the graph, or null. */
function circleIn(edges: ReadonlyMap<string, ReadonlySet<string>>): string[] | null {
  const done = new Set<string>()
  function walk(node: string, way: readonly string[]): string[] | null {
    if (way.includes(node)) return [...way.slice(way.indexOf(node)), node]
    if (done.has(node)) return null
    for (const next of edges.get(node) ?? []) {
      const circle = walk(next, [...way, node])
      if (circle) return circle
    }
    done.add(node)
    return null
  }
  for (const node of edges.keys()) {
    const circle = walk(node, [])
    if (circle) return circle
  }
  return null
}

it('reads the imports of every kind', () => {
  expect(importsOf('src/app/router.tsx')).toContain('src/screens/index.ts')
  expect(importsOf('src/app/router.tsx')).not.toContain('src/app/Shell.tsx')
  expect(importsOf('src/main.tsx')).toContain('src/theme/styles.ts')
  expect(importsOf('src/lib/screen.ts')).toContain('src/api/types.ts')
  expect(
    circleIn(
      new Map([
        ['a', new Set(['b'])],
        ['b', new Set(['a'])],
      ]),
    ),
  ).toEqual(['a', 'b', 'a'])
})

it('no two files import one another, not even their types', () => {
  expect(circleIn(new Map(files.map((file) => [file, new Set(importsOf(file))])))).toBeNull()
})

it('no two folders import one another', () => {
  const edges = new Map<string, Set<string>>()
  for (const file of files) {
    const from = folderOf(file)
    const known = edges.get(from) ?? new Set()
    for (const to of importsOf(file).map(folderOf)) if (to !== from) known.add(to)
    edges.set(from, known)
  }
  expect(circleIn(edges)).toBeNull()
})

it('V24: a feature uses another one only through its folder', () => {
  const inside = files.flatMap((file) =>
    importsOf(file)
      .filter(
        (to) => file.startsWith('src/features/') && to.startsWith('src/features/') && folderOf(to) !== folderOf(file),
      )
      .filter((to) => !/^src\/features\/[^/]+\/index\.tsx?$/.test(to))
      .map((to) => `${file} imports ${to}`),
  )
  expect(inside).toEqual([])
})
