import { test as base, expect, type BrowserContext, type Page } from '@playwright/test'
import { DEMO_PASSWORD, type Kind, Library, type Person, STUDENT } from './library'
import { Watch } from './watch'

export { expect }

type Options = {
  /**
   * Library of a test: the worker's with the demo catalogue, without books or with very many; a demo shared by the
   * tests of this file (`own`); or a demo for this test alone (`fresh`).
   */
  shelf: Kind | 'own' | 'fresh'
  /** Options of the program that serves a fresh library. */
  served: readonly string[]
  /** Person at the browser. A `student` is new in each test; a `reader` borrows nothing and is shared by the worker. */
  as: 'visitor' | 'librarian' | 'student' | 'reader' | 'demo student'
  /** Shows the preloader; it has its own tests, and the others do not wait for it. */
  preloader: boolean
}

type Fixtures = {
  library: Library
  /** Person at the browser; null for a visitor. */
  who: Person | null
  watch: Watch
  /** Opens a page for another person, in another browser. */
  pageOf: (person: Person | null) => Promise<Page>
}

type WorkerFixtures = {
  libraries: (kind: Kind) => Promise<Library>
  /** Demo shared by the tests of a file; a worker runs one file after the other. */
  libraryOf: (file: string) => Promise<Library>
}

/** A style sheet object is no inline style, so the page's policy allows it. */
function hidePreloader() {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync('#preloader { display: none !important }')
  document.adoptedStyleSheets = [sheet]
}

/** Prepares a watched page, as every test has one. */
export async function prepare(context: BrowserContext, watch: Watch, preloader: boolean): Promise<void> {
  await watch.attach(context)
  if (!preloader) await context.addInitScript(hidePreloader)
}

export const test = base.extend<Options & Fixtures, WorkerFixtures>({
  shelf: ['demo', { option: true }],
  served: [[], { option: true }],
  as: ['visitor', { option: true }],
  preloader: [false, { option: true }],

  libraries: [
    // oxlint-disable-next-line no-empty-pattern -- the runner reads the names of the fixtures out of this pattern
    async ({}, provide) => {
      const running = new Map<Kind, Promise<Library>>()
      await provide((kind) => {
        const library = running.get(kind) ?? Library.start(kind)
        running.set(kind, library)
        return library
      })
      for (const library of running.values()) await (await library).stop()
    },
    { scope: 'worker' },
  ],

  libraryOf: [
    // oxlint-disable-next-line no-empty-pattern -- the runner reads the names of the fixtures out of this pattern
    async ({}, provide) => {
      let current: { file: string; library: Library } | undefined
      await provide(async (file) => {
        if (current?.file === file) return current.library
        await current?.library.stop()
        current = { file, library: await Library.start('demo') }
        return current.library
      })
      await current?.library.stop()
    },
    { scope: 'worker' },
  ],

  library: async ({ libraries, libraryOf, shelf, served }, provide, { file, repeatEachIndex }) => {
    if (shelf === 'own') return provide(await libraryOf(`${file} ${repeatEachIndex}`))
    if (shelf !== 'fresh') return provide(await libraries(shelf))
    const library = await Library.start('demo', served)
    await provide(library)
    await library.stop()
  },

  who: async ({ library, as }, provide) => {
    switch (as) {
      case 'visitor':
        return provide(null)
      case 'librarian':
        return provide(await library.desk())
      case 'student':
        return provide(await library.student())
      case 'reader':
        return provide(await library.reader())
      case 'demo student':
        return provide(await library.signIn(STUDENT, DEMO_PASSWORD))
    }
  },

  baseURL: async ({ library }, provide) => provide(library.url),

  storageState: async ({ who }, provide) => provide(who?.storageState() ?? { cookies: [], origins: [] }),

  watch: async ({ library }, provide) => {
    const watch = new Watch(library.origin)
    await provide(watch)
    expect(watch.faults, 'nothing went wrong unnoticed').toEqual([])
  },

  context: async ({ context, watch, preloader }, provide) => {
    await prepare(context, watch, preloader)
    await provide(context)
  },

  pageOf: async ({ browser, library, watch, preloader, contextOptions, viewport }, provide) => {
    const contexts: BrowserContext[] = []
    await provide(async (person) => {
      const context = await browser.newContext({
        ...contextOptions,
        viewport,
        baseURL: library.url,
        ...(person && { storageState: person.storageState() }),
      })
      contexts.push(context)
      await prepare(context, watch, preloader)
      return context.newPage()
    })
    for (const context of contexts) await context.close()
  },
})

/** Returns the person at the browser; fails for a visitor. */
export function present(who: Person | null): Person {
  if (!who) throw new Error('This test runs as a visitor')
  return who
}
