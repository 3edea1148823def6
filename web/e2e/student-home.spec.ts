import type { Page } from '@playwright/test'
import { expectAccessible, expectNoSidewaysScroll } from './support/accessible'
import { card, cardsPerRow, heading, search } from './support/screens'
import { expect, test } from './support/test'

const slide = (page: Page) => page.getByRole('region', { name: 'Highlights' }).locator('[data-current][role="group"]')

test.describe('a student', () => {
  test.use({ as: 'reader' })

  test('R-STU-1 the bar has the profile and Logout', async ({ page }) => {
    await page.goto('student-home')
    const bar = page.getByRole('navigation', { name: 'Main' })
    await bar.getByRole('link', { name: 'Profile' }).click()
    await expect(page).toHaveURL(/\/profile$/)
    await bar.getByRole('button', { name: 'Logout' }).click()
    await expect(page).toHaveURL(/\/login$/)
  })

  test('R-STU-1 six cards stand in a row, found by title or author, without Update and Delete', async ({
    page,
    library,
  }) => {
    const book = await library.addBook({ author: 'Ulrike Vantongeren' })
    await page.goto('student-home')
    expect(await cardsPerRow(page)).toBe(6)
    await search(page).fill('VANTONG')
    await expect(card(page, book.title)).toBeVisible()
    await search(page).fill(book.title)
    const own = card(page, book.title)
    await expect(own).toContainText(book.author)
    await expect(own).toContainText(book.genre)
    await expect(own.getByRole('img', { name: 'Librarian’s rating: 4 out of 5' })).toBeVisible()
    await expect(own.getByRole('button')).toHaveCount(0)
    await expect(page.getByRole('link', { name: /^Update/ })).toHaveCount(0)
    // A double click, Enter and a click open the book.
    const [detail, link] = [
      new RegExp(`/stubook-detail/${book.id}$`),
      page.getByRole('link', { name: book.title, exact: true }),
    ]
    await own.getByText(book.author).dblclick({ force: true })
    await expect(page).toHaveURL(detail)
    await page.goBack()
    await link.focus()
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(detail)
    await page.goBack()
    await link.click()
    await expect(page).toHaveURL(detail)
  })

  test('R-HOME-2 a title with a typing error is found, and the page says what it shows', async ({ page, library }) => {
    const book = await library.addBook({ title: 'Quilliansky’s Almanac' })
    await page.goto('student-home')
    await search(page).fill('quiliansky')
    await expect(page.getByText('Showing Quilliansky for “quiliansky”')).toBeVisible()
    await expect(card(page, book.title)).toBeVisible()
    await expect(page.getByRole('combobox', { name: 'Sort by' })).toHaveValue('title')
    await expect(page.getByRole('option', { name: 'Best match' })).toBeAttached()
    await search(page).fill('quilliansky')
    await expect(page.getByText('Showing')).toHaveCount(0)
    await expect(card(page, book.title)).toBeVisible()
  })

  test('the list is narrowed to a genre and to what is on the shelf, and the address holds both', async ({
    page,
    library,
  }) => {
    const there = await library.addBook({ genre: 'Narrow Gauge' })
    const lent = await library.addBook({ genre: 'Narrow Gauge', noOfBooks: 1 })
    const student = await library.student()
    await student.borrow(lent.id)
    await page.goto('student-home')
    await page.getByRole('combobox', { name: 'Genre' }).selectOption({ label: 'Narrow Gauge (2)' })
    await expect(page.getByRole('article')).toHaveCount(2)
    await page.getByRole('checkbox', { name: 'Available now' }).check()
    await expect(page.getByRole('article')).toHaveCount(1)
    await page.reload()
    await expect(card(page, there.title)).toBeVisible()
    await expect(page.getByRole('article')).toHaveCount(1)
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole('button', { name: 'Filter (on)' }).click()
    await expect(page.getByRole('checkbox', { name: 'Available now' })).toBeInViewport({ ratio: 1 })
  })

  test('N13 a list by title begins at a letter, which the address holds, and another order has no letters', async ({
    page,
    library,
  }) => {
    await library.addBook({ title: 'Yak Herding' })
    await library.addBook({ title: 'Zebra Crossing' })
    await page.goto('student-home')
    const letters = page.getByRole('combobox', { name: 'Begin at' })
    await expect(letters).toHaveCount(0)
    await page.getByRole('combobox', { name: 'Sort by' }).selectOption('Title')
    await letters.selectOption('Y')
    const titles = page.getByRole('article').getByRole('heading')
    await expect(titles.first()).toHaveText(/^Y/)
    await expect(titles.filter({ hasText: 'Yak Herding' })).toBeVisible()
    await page.reload()
    await expect(titles.first()).toHaveText(/^Y/)
    await expectAccessible(page, 'the home from a letter on')
    await page.getByRole('combobox', { name: 'Sort by' }).selectOption('Newest first')
    await expect(letters).toHaveCount(0)
    await expect(page).toHaveURL(/\?sort=newest$/)
  })

  test('a search that finds nothing fits on a small phone and leads to a genre', async ({ page, library }) => {
    const book = await library.addBook({ genre: 'Narrow Gauge' })
    await page.route('**/api/v1/genres', (route) =>
      route.fulfill({ json: { genres: ['Narrow Gauge', 'Novel'].map((genre) => ({ genre, books: 1 })) } }),
    )
    await page.setViewportSize({ width: 360, height: 640 })
    await page.goto('student-home?q=qqzzxx')
    await expect(page.getByRole('button', { name: 'Clear search' })).toBeInViewport({ ratio: 1 })
    await expectNoSidewaysScroll(page, 'a search that finds nothing')
    await page.getByRole('navigation', { name: 'Browse by genre' }).getByRole('link', { name: 'Narrow Gauge' }).click()
    await expect(card(page, book.title)).toBeVisible()
    await expect(search(page)).toHaveValue('')
  })

  test('a typed genre is above the results, and the keyboard shows all its books', async ({ page, library }) => {
    // The list of genres has the commonest ones only.
    const books = []
    for (let book = 0; book < 3; book += 1) books.push(await library.addBook({ genre: 'Lighthouse Keeping' }))
    await page.goto('student-home')
    await search(page).fill('keep')
    const genre = page.getByRole('link', { name: 'Genre: Lighthouse Keeping (3 books)' })
    await expect(genre).toBeVisible()
    await genre.focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('combobox', { name: 'Genre' })).toHaveValue('Lighthouse Keeping')
    await expect(page.getByRole('article')).toHaveCount(3)
    for (const book of books) await expect(card(page, book.title)).toBeVisible()
    await expect(search(page)).toHaveValue('')
  })

  test('U1 the second click of a double click presses nothing on the page that the first one opened', async ({
    page,
    library,
  }) => {
    const book = await library.addBook()
    await page.goto(`student-home?q=${encodeURIComponent(book.title)}`)
    const link = page.getByRole('link', { name: book.title, exact: true })
    await link.click()
    const borrow = page.getByRole('button', { name: 'Borrow' })
    await expect(borrow).toBeEnabled()
    const place = await borrow.boundingBox()
    await page.goBack()
    await link.waitFor()
    // The book is cached, so its page appears between the two clicks.
    await page.evaluate(() => {
      document.querySelector<HTMLElement>('[data-result]')?.click()
    })
    await expect(borrow).toBeEnabled()
    await page.mouse.move((place?.x ?? 0) + 5, (place?.y ?? 0) + 5)
    await page.evaluate(
      ([x, y]) => {
        const under = document.elementFromPoint(x ?? 0, y ?? 0)
        under?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, detail: 2 }))
      },
      [(place?.x ?? 0) + 5, (place?.y ?? 0) + 5],
    )
    await expect(page).toHaveURL(new RegExp(`/stubook-detail/${book.id}$`))
    expect((await library.book(book.id)).noOfBooks).toBe(book.noOfBooks)
  })

  test('R-STU-4 the slides stand still under reduced motion, and each can be shown by its button', async ({ page }) => {
    await page.clock.install()
    await page.setViewportSize({ width: 1366, height: 768 })
    await page.goto('student-home')
    // They never push the search or the first books off a laptop's screen.
    await expect(search(page)).toBeInViewport({ ratio: 1 })
    await expect(page.getByRole('article').first().locator('img')).toBeInViewport({ ratio: 0.5 })
    await expect(slide(page)).toHaveAccessibleName('1 of 3: New on the shelves')
    await page.clock.runFor(10_000)
    await expect(slide(page)).toHaveAccessibleName('1 of 3: New on the shelves')
    await expect(page.getByRole('button', { name: 'Play the slides' })).toBeVisible()
    await page.getByRole('button', { name: /^Show slide 3/ }).click()
    await expect(slide(page)).toHaveAccessibleName(/^3 of 3/)
  })

  test('R-STU-1 the shelves stand below the first books, and the keyboard reaches each cover whole', async ({
    page,
    library,
  }) => {
    const books = []
    for (let book = 0; book < 12; book += 1) books.push(await library.addBook())
    const other = await library.student()
    const returned = books[5]?.id ?? 0
    const { id } = await other.borrow(returned)
    await other.ask('POST', `/loans/${id}/return`)
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto('student-home')
    const shelf = page.getByRole('region', { name: 'Newly arrived' })
    await expect(shelf.getByRole('link')).toHaveCount(12)
    await expect(
      page.getByRole('region', { name: 'Returned today' }).getByRole('link', { name: books[5]?.title ?? '' }),
    ).toHaveAttribute('href', new RegExp(`stubook-detail/${returned}$`))
    await shelf.getByRole('link').first().focus()
    for (let book = 1; book < 12; book += 1) await page.keyboard.press('Tab')
    await expect(shelf.getByRole('link').last()).toBeFocused()
    await expect(shelf.getByRole('link').last()).toBeInViewport({ ratio: 1 })
    await expectNoSidewaysScroll(page, 'the home with shelves')
    // A reader who asks for something has the whole list.
    await page.goto('student-home?sort=author')
    await expect(page.getByRole('article').first()).toBeVisible()
    await expect(shelf).toHaveCount(0)
  })

  test('R-STU-1 a mouse turns a shelf from whole covers to the next whole covers, and back', async ({
    page,
    library,
  }) => {
    for (let book = 0; book < 12; book += 1) await library.addBook()
    await page.setViewportSize({ width: 1366, height: 768 })
    await page.goto('student-home')
    const shelf = page.getByRole('region', { name: 'Newly arrived' })
    const books = shelf.getByRole('link')
    const next = shelf.getByRole('button', { name: 'More books on this shelf' })
    const previous = shelf.getByRole('button', { name: 'Earlier books on this shelf' })
    await expect(books).toHaveCount(12)
    await books.first().scrollIntoViewIfNeeded()
    await expect(books.nth(8)).toBeInViewport({ ratio: 1 })
    await expect(books.nth(9)).not.toBeInViewport()
    await next.click()
    await expect(books.last()).toBeInViewport({ ratio: 1 })
    await expect(next).toBeDisabled()
    await previous.click()
    await expect(books.first()).toBeInViewport({ ratio: 1 })
    await expect(previous).toBeDisabled()
    // In a narrow window the buttons are larger, and still above the covers.
    await page.setViewportSize({ width: 360, height: 640 })
    const edge = (part: typeof next, side: 'top' | 'bottom') =>
      part.evaluate((element, name) => element.getBoundingClientRect()[name], side)
    await expect(next).toBeVisible()
    await expect
      .poll(async () => (await edge(books.first(), 'top')) - (await edge(next, 'bottom')))
      .toBeGreaterThanOrEqual(8)
  })

  test('W11 the focus goes through the covers of the slide that is shown, each whole and in view, and on', async ({
    page,
  }) => {
    test.slow()
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 844 })
      await page.goto('student-home')
      const carousel = page.getByRole('region', { name: 'Highlights' })
      const covers = slide(page).getByRole('link')
      await expect(covers).toHaveCount(12)
      await covers.first().focus()
      for (let place = 0; place < 12; place += 1) {
        await expect(covers.nth(place)).toBeFocused()
        await expect(covers.nth(place)).toBeInViewport({ ratio: 0.99 })
        await page.keyboard.press('Tab')
      }
      // The two hidden slides have links too.
      await expect(carousel.getByRole('button', { name: /^Show slide 1/ })).toBeFocused()
      await page.keyboard.press('Tab')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await expect(slide(page)).toHaveAccessibleName(/^3 of 3/)
      await page.keyboard.press('Shift+Tab')
      await page.keyboard.press('Shift+Tab')
      await page.keyboard.press('Shift+Tab')
      await expect(carousel.locator('[inert] :focus')).toHaveCount(0)
      const before =
        width === 390 ? search(page) : page.getByRole('group', { name: 'Common genres' }).getByRole('button').last()
      await expect(before).toBeFocused()
    }
  })

  test('U16 covers that fail show the title on a plate, with whole words and not as blue links', async ({
    page,
    watch,
  }) => {
    watch.refuses(404)
    await page.route('**/covers/*.svg', (route) => route.fulfill({ status: 404, body: 'Not found' }))
    await page.goto('student-home')
    const plates = slide(page).locator('[data-plain]')
    await expect(plates).toHaveCount(12)
    await expect(slide(page).getByRole('link').first()).toHaveCSS('text-decoration-line', 'none')
    await expect(plates.first()).toHaveCSS('color', 'rgb(255, 255, 255)')
    const chopped = () =>
      plates.evaluateAll((all) =>
        all.flatMap((plate) => {
          const text = plate.querySelector('span')?.firstChild
          if (!(text instanceof Text)) return ['no title']
          const room = plate.querySelector('span')?.getBoundingClientRect().width ?? 0
          return [...text.data.matchAll(/\S+/g)].flatMap(({ 0: word, index }) => {
            const range = document.createRange()
            range.setStart(text, index)
            range.setEnd(text, index + word.length)
            const rects = [...range.getClientRects()]
            const width = rects.reduce((sum, rect) => sum + rect.width, 0)
            return rects.length > 1 && width <= room ? [word] : []
          })
        }),
      )
    await expect.poll(chopped).toEqual([])
  })
})

test.describe('with motion', () => {
  test.use({ as: 'reader', contextOptions: { reducedMotion: 'no-preference' } })

  /** Advances the page's clock in small steps, and records how long each slide is shown. */
  async function intervals(page: Page, changes: number): Promise<[string, number][]> {
    const STEP = 100
    const seen: [string, number][] = []
    while (seen.length <= changes) {
      const name = (await slide(page).getAttribute('aria-label')) ?? ''
      const last = seen.at(-1)
      if (last?.[0] === name) last[1] += STEP
      else seen.push([name, STEP])
      await page.clock.runFor(STEP)
      // After a round they rest.
      const play = page.getByRole('button', { name: 'Play the slides' })
      if ((await play.count()) > 0) await play.dispatchEvent('click')
    }
    // The first was shown already, the last is still shown.
    return seen.slice(1, -1)
  }

  // StudentHomeScreen.test.tsx tests the same on a fake clock in each run.
  test('R-STU-1 the three slides stand 1000, 500 and 5000 ms', { tag: '@nightly' }, async ({ page }) => {
    // A hundred steps of the clock, each a round trip to the browser.
    test.slow()
    await page.clock.install()
    await page.goto('student-home')
    await expect(slide(page)).toHaveCount(1)
    await page.clock.pauseAt(Date.now() + 60_000)
    const stood = await intervals(page, 8)
    const of = (place: string) =>
      Math.max(...stood.filter(([name]) => name.startsWith(place)).map(([, shown]) => shown))
    expect(Math.abs(of('1') - 1000)).toBeLessThanOrEqual(100)
    expect(Math.abs(of('2') - 500)).toBeLessThanOrEqual(100)
    expect(Math.abs(of('3') - 5000)).toBeLessThanOrEqual(100)
  })

  test('R-STU-4 the slides wait while somebody points at them, and can be paused', async ({ page }) => {
    await page.clock.install()
    await page.goto('student-home')
    const carousel = page.getByRole('region', { name: 'Highlights' })
    await carousel.hover()
    // Read once: the page's clock is stopped.
    const held = await slide(page).getAttribute('aria-label')
    await page.clock.runFor(12_000)
    await expect(slide(page)).toHaveAttribute('aria-label', held ?? '')
    await page.getByRole('button', { name: 'Pause the slides' }).click()
    await page.mouse.move(700, 880)
    await heading(page).focus()
    // Read once: as above.
    const paused = await slide(page).getAttribute('aria-label')
    await page.clock.runFor(12_000)
    await expect(slide(page)).toHaveAttribute('aria-label', paused ?? '')
    await page.getByRole('button', { name: 'Play the slides' }).press('Enter')
    await heading(page).focus()
    await page.clock.runFor(5500)
    await expect(slide(page)).not.toHaveAttribute('aria-label', paused ?? '')
  })
})

test.describe('/new-home', () => {
  test('R-STU-3 is a strip of popular books with a picture of each, which stands still', async ({ page }) => {
    await page.goto('new-home')
    await expect(heading(page)).toHaveText('Popular books')
    const strip = page.getByRole('list', { name: 'Popular books' })
    await expect(strip.getByRole('listitem')).toHaveCount(12)
    const pictures = strip.locator('img')
    await expect(pictures).toHaveCount(12)
    await expect
      .poll(() => pictures.first().evaluate((image: HTMLImageElement) => image.naturalWidth))
      .toBeGreaterThan(0)
    const place = () => strip.evaluate((element) => element.scrollLeft)
    expect(await place()).toBe(0)
    await page.getByRole('button', { name: 'Show more books' }).click()
    await expect.poll(place).toBeGreaterThan(0)
    await page.getByRole('button', { name: 'Show earlier books' }).click()
    await expect.poll(place).toBe(0)
    // R-DETAIL-4: a visitor can open a book of the strip.
    await strip.getByRole('link').first().click()
    await expect(page).toHaveURL(/\/stubook-detail\/\d+$/)
    await expect(
      page.getByRole('link', { name: 'Borrow' }).or(page.getByRole('button', { name: 'Not Available' })),
    ).toBeVisible()
  })
})
