import { expectReadable, open } from './support/layout'
import { heading } from './support/screens'
import { expect, test } from './support/test'

const NAME = 'Wolfeschlegelsteinhausenbergerdorffwelchevoralternwarengewissenhaftschaferswessen'.slice(0, 80)
const TITLE = 'Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz'.repeat(3)
const GENRE = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'

test.describe('of people, books and genres', () => {
  test.use({ as: 'librarian' })

  test('W31 U23 long names stay in their columns and cards, on a phone and on a desk', async ({
    page,
    pageOf,
    library,
    who,
  }) => {
    test.slow()
    const stamp = String(Date.now())
    const reader = await library.student({ name: NAME, department: NAME })
    const book = await library.addBook({
      title: TITLE + stamp,
      author: NAME,
      genre: GENRE,
      noOfBooks: 3,
      location: GENRE,
    })
    await reader.borrow(book.id)
    await reader.review(book.id, { rating: 4, comment: TITLE })
    const waited = await library.addBook({ title: `${TITLE + stamp} waited`, author: NAME, noOfBooks: 2 })
    const others = await library.student()
    const out = [await others.borrow(waited.id), await others.borrow(waited.id)]
    for (const name of [NAME, `${NAME.slice(0, 70)}3`]) {
      await (await library.student({ name })).ask('POST', `/books/${waited.id}/holds`)
    }
    await reader.ask('POST', `/books/${waited.id}/holds`)
    await who?.ask('POST', `/loans/${out[0]?.id}/return`, {})
    await others.ask('POST', `/loans/${out[1]?.id}/return`)
    await who?.ask('POST', `/people/${reader.user.uid}/charges`, { amount: 450, kind: 'damage', reason: TITLE })
    const loan = await (await library.student({ name: `${NAME.slice(0, 70)}2` })).borrow(book.id)
    await who?.ask('POST', `/loans/${loan.id}/return`, {})
    const readers = await pageOf(reader)
    const q = stamp
    for (const [view, screens] of [
      [
        page,
        [
          `home?q=${q}`,
          `books?q=${q}`,
          `delete?q=${q}`,
          `book-detail/${waited.id}`,
          `update/${book.id}`,
          `fine?q=${NAME.slice(0, 20)}`,
          'to-shelve',
          'holds',
          'money',
          `activity?book=${book.id}`,
          `book-detail/${book.id}`,
        ],
      ],
      [readers, [`student-home?q=${q}`, `stubook-detail/${book.id}`, `stubook-detail/${waited.id}`, 'profile']],
    ] as const) {
      for (const screen of screens) {
        await test.step(screen, async () => {
          await open(view, screen)
          for (const width of [1440, 390]) {
            await view.setViewportSize({ width, height: 900 })
            await expectReadable(view, `${screen} with long names at ${width}`)
          }
        })
      }
    }
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      // U23: the genre's badge ends with its column.
      const badge = page.locator('.mantine-Badge-root').filter({ hasText: GENRE })
      await expect(async () => {
        const [inner, outer] = [await badge.boundingBox(), await badge.locator('xpath=..').boundingBox()]
        expect((inner?.x ?? 0) + (inner?.width ?? 0)).toBeLessThanOrEqual((outer?.x ?? 0) + (outer?.width ?? 0))
      }).toPass()
      await expect(heading(page)).toContainText(TITLE.slice(0, 40))
    }
  })
})
