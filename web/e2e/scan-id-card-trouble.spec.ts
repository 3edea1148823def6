import type { Page, Route } from '@playwright/test'
import { drawn, toJpeg, toRgba } from '../bench/scanner/cards'
import { expectAccessible } from './support/accessible'
import { AIM, cardOf, email, wedgeScan, headline, openScanner, panel, password, test, toggle } from './support/scanner'
import { expect } from './support/test'
import { chunkOf } from './support/chunks'

const typedNumber = (page: Page) => panel(page).getByRole('textbox', { name: 'roll number' })
const choosePicture = (page: Page) => panel(page).locator('input[type=file]')
const cardPicture = (text: string) => ({
  name: 'card.jpg',
  mimeType: 'image/jpeg',
  buffer: toJpeg(toRgba(drawn({ ...cardOf('Code128'), text }, { width: 900, height: 700, module: 3 })), 85),
})

/** Holds every look-up back until it is released, in the order of the requests. */
async function holdLookUps(page: Page): Promise<{ asked: string[]; letGo: (rollNumber: string) => Promise<void> }> {
  const held = new Map<string, Route>()
  const asked: string[] = []
  await page.route('**/auth/id-card', (route) => {
    const { rollNumber } = route.request().postDataJSON() as { rollNumber: string }
    asked.push(rollNumber)
    held.set(rollNumber, route)
  })
  return {
    asked,
    // A look-up that the page has cancelled can be released too.
    letGo: async (rollNumber) =>
      held
        .get(rollNumber)
        ?.continue()
        .catch(() => undefined),
  }
}

test.describe('while a card is looked up', () => {
  test('what a person types by hand counts, and the answer that comes late changes nothing', async ({
    page,
    library,
  }) => {
    await library.student({ rollNumber: 'late-001' })
    const { asked, letGo } = await holdLookUps(page)
    await openScanner(page)
    await typedNumber(page).fill('late-001')
    await typedNumber(page).press('Enter')
    await expect(headline(page)).toHaveText('Looking up card…')
    await email(page).pressSequentially('asha@col')
    await letGo('late-001')
    await expect(headline(page)).not.toHaveText('Looking up card…')
    await page.waitForTimeout(300)
    await page.keyboard.type('lege.test')
    await expect(email(page)).toHaveValue('asha@college.test')
    await expect(email(page)).toBeFocused()

    await typedNumber(page).press('Enter')
    await expect.poll(() => asked.length).toBe(2)
    await toggle(page).click()
    await password(page).pressSequentially('half')
    await letGo('late-001')
    await page.waitForTimeout(300)
    await page.keyboard.type('-typed')
    await expect(password(page)).toHaveValue('half-typed')
    await expect(email(page)).toHaveValue('asha@college.test')
  })

  test('the newest card counts, whichever answer comes first', async ({ page, library }) => {
    await library.student({ rollNumber: 'slow-001' })
    const { user } = await library.student({ rollNumber: 'fast-002' })
    const { letGo, asked } = await holdLookUps(page)
    await page.goto('login')
    await expect(email(page)).toBeVisible()
    await wedgeScan(page, 'SLOW-001')
    await expect(page.getByRole('status').filter({ hasText: 'Looking up card…' })).toBeVisible()
    await wedgeScan(page, 'FAST-002')
    await expect.poll(() => asked).toEqual(['slow-001', 'fast-002'])
    await letGo('fast-002')
    await expect(email(page)).toHaveValue(user.email)
    await letGo('slow-001')
    await page.waitForTimeout(300)
    await expect(email(page)).toHaveValue(user.email)
    await expect(page.getByText(`Card found: ${user.email}.`)).toBeVisible()
  })
})

test.describe('a password that a program types', () => {
  test('signs in, though it looks like the number of a card', async ({ page, watch }) => {
    watch.refuses(404, 401)
    await page.goto('login')
    await email(page).fill('asha@college.test')
    await password(page).focus()
    await wedgeScan(page, 'hunter2horse')
    await expect(page.getByRole('alert')).toHaveText('Invalid email or password.')
    await expect(password(page)).toHaveValue('hunter2horse')
  })

  test('what only looks like a key is none', async ({ page }) => {
    await page.goto('login')
    await email(page).dispatchEvent('keydown')
    await email(page).fill('asha@college.test')
    await expect(email(page)).toHaveValue('asha@college.test')
  })
})

test.describe('when a part of the decoder does not arrive', () => {
  test.use({ scene: 'two cameras', permissions: ['camera'] })

  // A different card for each, because both may use the same library.
  for (const [part, card] of [
    ['**/*.wasm', 'ANEW-001'],
    ['**/decoder.worker-*.js', 'ANEW-002'],
  ] as const) {
    test(`${part}: it is said, and Try again tries anew`, async ({ page, library, watch }) => {
      watch.excuse(/ERR_FAILED|decoder failed|picture could not be read|wasm|Worker/i)
      const { user } = await library.student({ rollNumber: card.toLowerCase() })
      await page.route(part, (route) => route.abort())
      await openScanner(page)
      await expect(headline(page)).toContainText('The scanner could not be loaded. Check your connection')
      await choosePicture(page).setInputFiles(cardPicture(card))
      await expect(headline(page)).toContainText('The scanner could not be loaded. Check your connection')
      await page.unroute(part)
      await panel(page).getByRole('button', { name: 'Try again' }).click()
      await expect(panel(page).getByRole('button', { name: 'Pause' })).toBeFocused()
      await choosePicture(page).setInputFiles(cardPicture(card))
      await expect(email(page)).toHaveValue(user.email)
    })
  }
})

test('a scanner that does not arrive is said, what was typed stays, and Try again fetches it', async ({
  page,
  watch,
}) => {
  watch.excuse(/ERR_FAILED|Loading chunk scanner failed/)
  const chunk = chunkOf('features/scanner/index.ts')
  await page.route(chunk, (route) => route.abort())
  await page.goto('login')
  await email(page).fill('asha@college.test')
  await toggle(page).click()
  await expect(page.getByRole('alert')).toHaveText(
    'The scanner could not be loaded. Check your connection and try again.',
  )
  await expectAccessible(page, 'a scanner that did not arrive')
  await page.unroute(chunk)
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(panel(page)).toBeVisible()
  await expect(email(page)).toHaveValue('asha@college.test')
})

test.describe('on a small phone', () => {
  test.use({ viewport: { width: 360, height: 640 }, hasTouch: true })

  test('what is said of a scanner that is loading, or did not arrive, is in view', async ({ page, watch }) => {
    watch.excuse(/ERR_FAILED|Loading chunk scanner failed/)
    let drop = () => {}
    const held = new Promise<void>((resolve) => {
      drop = resolve
    })
    await page.route(chunkOf('features/scanner/index.ts'), async (route) => {
      await held
      await route.abort()
    })
    await page.goto('login')
    await toggle(page).tap()
    await expect(page.getByText('Loading the scanner…')).toBeInViewport({ ratio: 1 })
    drop()
    await expect(page.getByRole('alert')).toBeInViewport({ ratio: 1 })
    await expect(page.getByRole('button', { name: 'Try again' })).toBeInViewport({ ratio: 1 })
  })
})

test.describe('cameras', () => {
  test.use({ scene: 'two cameras', permissions: ['camera'] })

  // Without its windows the browser names its cameras anew after each reload.
  test(
    'R-SCAN-6 R-SCAN-7 one that is in use leaves the choice of the other, and is not remembered',
    { tag: '@whole' },
    async ({ page }) => {
      await page.addInitScript(() => {
        const media = navigator.mediaDevices
        const open = media.getUserMedia.bind(media)
        media.getUserMedia = async (wishes) => {
          const stream = await open(wishes)
          const { deviceId: wish } = (wishes?.video ?? {}) as { deviceId?: { exact: string } }
          if (!wish || wish.exact === localStorage.getItem('good camera')) return stream
          for (const track of stream.getTracks()) track.stop()
          throw new DOMException('busy', 'NotReadableError')
        }
      })
      await openScanner(page)
      await expect(headline(page)).toHaveText(AIM)
      const choice = panel(page).getByLabel('Camera', { exact: true })
      // Read once: the active camera is chosen.
      const good = await choice.inputValue()
      await page.evaluate((id) => localStorage.setItem('good camera', id), good)
      await choice.selectOption({ index: 1 })
      await expect(headline(page)).toContainText('Another app is using the camera.')
      await expectAccessible(page, 'a camera in use')
      await choice.selectOption({ index: 0 })
      await expect(headline(page)).toHaveText(AIM)
      await choice.selectOption({ index: 1 })
      await expect(headline(page)).toContainText('Another app is using the camera.')
      await page.reload()
      await toggle(page).click()
      await expect(headline(page)).toHaveText(AIM)
      await expect(choice).toHaveValue(good)
    },
  )

  test('R-SCAN-5 one that is paused while it changes stays paused, and films nobody', async ({ page }) => {
    await openScanner(page)
    await expect(headline(page)).toHaveText(AIM)
    await page.evaluate(() => {
      const media = navigator.mediaDevices
      const open = media.getUserMedia.bind(media)
      media.getUserMedia = async (wishes) => {
        await new Promise((go) => setTimeout(go, 700))
        const stream = await open(wishes)
        Object.assign(window, { opened: stream })
        return stream
      }
    })
    await panel(page).getByLabel('Camera', { exact: true }).selectOption({ index: 1 })
    await panel(page).getByRole('button', { name: 'Pause' }).click()
    await expect(headline(page)).toHaveText('Scanner paused')
    await expect
      .poll(() =>
        page.evaluate(() =>
          (window as unknown as { opened?: MediaStream }).opened?.getTracks().map((track) => track.readyState),
        ),
      )
      .toEqual(['ended'])
    await expect(headline(page)).toHaveText('Scanner paused')
    await panel(page).getByRole('button', { name: 'Resume' }).click()
    await expect(headline(page)).toHaveText(AIM)
  })

  test('R-SCAN-8 the newest word stands in the header', async ({ page }) => {
    await openScanner(page)
    await expect(headline(page)).toHaveText(AIM)
    await choosePicture(page).setInputFiles({ name: 'a.gif', mimeType: 'image/gif', buffer: Buffer.from('GIF89a') })
    await expect(headline(page)).toContainText('This is not a JPEG, PNG or WebP picture.')
    await panel(page).getByRole('button', { name: 'Pause' }).click()
    await expect(headline(page)).toHaveText('Scanner paused')
    await panel(page).getByRole('button', { name: 'Resume' }).click()
    await expect(headline(page)).toHaveText(AIM)
    await panel(page).getByRole('button', { name: 'Close the scanner' }).click()
    await expect(toggle(page)).toBeFocused()
    await expect(toggle(page)).toHaveAttribute('aria-expanded', 'false')
  })

  test('a file that is dropped beside the panel is read, too', async ({ page, library }) => {
    const { user } = await library.student({ rollNumber: 'drop-002' })
    await openScanner(page)
    const { buffer } = cardPicture('DROP-002')
    const files = await page.evaluateHandle((bytes) => {
      const transfer = new DataTransfer()
      transfer.items.add(new File(['no picture'], 'notes.txt', { type: 'text/plain' }))
      transfer.items.add(new File([Uint8Array.from(bytes)], 'card.jpg', { type: 'image/jpeg' }))
      return transfer
    }, Array.from(buffer))
    await page.getByRole('heading', { name: 'Sign in' }).dispatchEvent('drop', { dataTransfer: files })
    await expect(email(page)).toHaveValue(user.email)
  })
})

test.describe('my ID card', () => {
  test.use({ as: 'student' })

  test('stays black on white where colours are forced, and is printed on one page', async ({ page }) => {
    await page.emulateMedia({ forcedColors: 'active', colorScheme: 'dark' })
    await page.goto('profile')
    await page.getByRole('button', { name: 'My ID card' }).click()
    const code = page.getByRole('img', { name: /^Barcode of roll number/ })
    await expect(code).toBeVisible()
    const card = code.locator('xpath=ancestor::*[@data-print]')
    await expect(card).toHaveCSS('background-color', 'rgb(255, 255, 255)')
    await expect(card).toHaveCSS('forced-color-adjust', 'none')
    await expectAccessible(page, 'the ID card in forced colours')
    await page.emulateMedia({ forcedColors: 'none', colorScheme: 'light' })
    const printed = await page.pdf({ format: 'A6' })
    expect(printed.toString('latin1').match(/\/Type \/Page\b/g)).toHaveLength(1)
  })
})
