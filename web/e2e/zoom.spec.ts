import type { Page } from '@playwright/test'
import { expectReadable, open, SCREENS } from './support/layout'
import { expect, present, test } from './support/test'

/** WCAG 1.4.4 and 1.4.10: as large as somebody needs it. */
const LARGER: Record<string, (page: Page) => Promise<void>> = {
  // A page of 1280 × 900 pixels at 200 %.
  'at 200 %': (page) => page.setViewportSize({ width: 640, height: 450 }),
  // The browser's own setting, which makes text larger and nothing else.
  'with letters of twice the size': async (page) => {
    await page.setViewportSize({ width: 1280, height: 900 })
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('Page.setFontSizes', { fontSizes: { standard: 32, fixed: 26 } })
  },
}

for (const [how, enlarge] of Object.entries(LARGER)) {
  for (const as of ['visitor', 'librarian', 'student'] as const) {
    test.describe(`${how}, as a ${as}`, () => {
      test.use({ as })

      test(`W31 on every screen all can be read ${how}, and nothing scrolls sideways`, async ({
        page,
        library,
        who,
      }) => {
        test.slow()
        if (as === 'student') await library.lend(present(who), 2)
        await enlarge(page)
        for (const screen of SCREENS[as]) {
          await test.step(screen, async () => {
            await open(page, screen)
            if (how !== 'at 200 %') {
              expect(await page.evaluate(() => getComputedStyle(document.documentElement).fontSize)).toBe('32px')
            }
            await expectReadable(page, `${screen} ${how}`)
          })
        }
      })
    })
  }
}
