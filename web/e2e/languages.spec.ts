import { expectAccessible, expectNoSidewaysScroll } from './support/accessible'
import { SCREENS as ALL } from './support/layout'
import { expect, present, test } from './support/test'

test.describe('in Hindi', () => {
  test.use({ locale: 'hi-IN' })

  test('the browser asks for Hindi: the page is in Hindi, and English does not travel', async ({ page }) => {
    const scripts: string[] = []
    page.on('request', (request) => scripts.push(new URL(request.url()).pathname))
    await page.goto('login')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('साइन इन')
    await expect(page).toHaveTitle('साइन इन · My Library')
    await expect(page.locator('html')).toHaveAttribute('lang', 'hi')
    expect(scripts.filter((path) => path.includes('/hi-first-'))).toHaveLength(1)
    expect(scripts.filter((path) => path.includes('/en-first-'))).toEqual([])
    await expectAccessible(page, 'signing in, in Hindi')
  })

  test('what is missing in a form is said in Hindi', async ({ page }) => {
    await page.goto('register')
    await page.getByRole('button', { name: 'खाता बनाएँ' }).click()
    await expect(page.getByText('पूरा नाम भरना ज़रूरी है।')).toBeVisible()
    await expect(page.getByLabel('पूरा नाम')).toBeFocused()
  })
})

test('a person changes the language by keyboard, stays on the switch, and the browser keeps it', async ({ page }) => {
  await page.goto('login')
  await page.getByRole('button', { name: 'हिन्दी' }).press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('साइन इन')
  await expect(page.getByRole('button', { name: 'English' })).toBeFocused()
  await page.reload()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('साइन इन')
  await page.getByRole('button', { name: 'English' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in')
})

/** The product's name and the specification's words are the same everywhere. */
const SAME = ['My Library', '404 Not Found']
/** The rules of a new library have a second category, whose name is data. */
const DATA = ['Staff']
/** The browser itself knows the days of the week. */
const WEEKDAYS = Array.from({ length: 7 }, (_, day) =>
  new Intl.DateTimeFormat('en-IN', { weekday: 'long', timeZone: 'UTC' }).format(Date.UTC(2024, 0, 1 + day)),
)

/** Words on the page that come from no catalogue and are not known; other data stands in `dir="auto"` or is a time. */
function notFromCatalogue(known: readonly string[]): string[] {
  const found: string[] = []
  const look = (text: string | null, where: Element | null) => {
    if (
      !where?.checkVisibility() ||
      where.closest('[lang]:not(html), [dir="auto"], time, textarea, script, style, datalist')
    )
      return
    // Beside the catalogue's words stand the parameters.
    if (text?.includes('⟦')) return
    const rest = known.reduce((words, one) => words.replaceAll(one, ''), text ?? '')
    if (/\p{L}/u.test(rest)) found.push(rest.trim())
  }
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) look(walker.currentNode.textContent, walker.currentNode.parentElement)
  for (const name of ['placeholder', 'aria-roledescription', 'aria-valuetext']) {
    for (const element of document.querySelectorAll(`[${name}]`)) look(element.getAttribute(name), element)
  }
  for (const element of document.querySelectorAll('[aria-label], img[alt]')) {
    look(element.getAttribute('aria-label') ?? element.getAttribute('alt'), element)
  }
  return found
}

const SCREENS = { ...ALL, visitor: [...ALL.visitor, 'nowhere'] }

for (const script of ['pseudo', 'pseudo-rtl'] as const) {
  for (const as of ['visitor', 'librarian', 'student'] as const) {
    test.describe(`in ${script}, as a ${as}`, () => {
      test.use({ as })

      for (const screen of SCREENS[as]) {
        test(`every word of /${screen} comes from the catalogue, and nothing leaves the page`, async ({
          page,
          library,
          who,
          watch,
        }) => {
          if (as === 'student') await library.lend(present(who), 2)
          watch.refuses(404)
          watch.excuse(/404 Not Found/)
          for (const width of [320, 1440]) {
            const state = `${screen} in ${script} at ${width}`
            await page.setViewportSize({ width, height: 900 })
            await page.goto(`${screen}${screen.includes('?') ? '&' : '?'}lang=${script}`)
            await expect(page.locator('h1').filter({ visible: true })).toHaveCount(1)
            await page.waitForLoadState('networkidle')
            expect(await page.evaluate(notFromCatalogue, [...SAME, ...DATA, ...WEEKDAYS]), state).toEqual([])
            await expectNoSidewaysScroll(page, state)
          }
          await expectAccessible(page, `${screen} in ${script}`)
        })
      }
    })
  }
}

test('from right to left the form stands on the left and the picture on the right', async ({ page }) => {
  await page.goto('login?lang=pseudo-rtl')
  await expect(page.locator('html')).toHaveAttribute('dir', 'rtl')
  const form = await page.locator('form').boundingBox()
  const picture = await page.getByRole('complementary').boundingBox()
  expect(form?.x).toBeLessThan(picture?.x ?? 0)
})
