import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.includes('.test.'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))

/** Further components whose style sheets a component requires. */
const PARTS: Record<string, string[]> = { Menu: ['Popover'], Modal: ['ModalBase', 'Overlay'] }

it('W26: every component of Mantine that is used brings its styles along', () => {
  const sheet = (name: string) => `@mantine/core/styles/${name}.layer.css`
  const lists = ['src/theme/styles.ts', 'src/ui/styles.ts', 'src/app/Notices.tsx'].map((path) =>
    readFileSync(path, 'utf8'),
  )
  const used = filesIn('src').flatMap((text) =>
    [...text.matchAll(/import \{([^}]+)\} from '@mantine\/core'/g)].flatMap(([, names = '']) =>
      names.split(',').map((name) => name.trim()),
    ),
  )
  const wanted = [...new Set([...used, ...used.flatMap((name) => PARTS[name] ?? [])])].filter((name) =>
    existsSync(`node_modules/@mantine/core/styles/${name}.layer.css`),
  )
  expect(wanted.length).toBeGreaterThan(10)
  expect(wanted.filter((name) => !lists.some((list) => list.includes(sheet(name))))).toEqual([])
})
