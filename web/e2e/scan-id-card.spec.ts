import { writeFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { drawn, toJpeg, toRgba } from '../bench/scanner/cards'
import { expectAccessible, expectNoSidewaysScroll } from './support/accessible'
import { chunkOf } from './support/chunks'
import { PASSWORD, type Library, type Person } from './support/library'
import {
  AIM,
  allCards,
  camerasOn,
  cardOf,
  email,
  wedgeScan,
  headline,
  HOST,
  keepStreams,
  openScanner,
  panel,
  password,
  rollNumberOf,
  test,
  toggle,
} from './support/scanner'
import { expect } from './support/test'

const owners = new WeakMap<Library, Map<string, Person>>()

/** Returns the student with this roll number, registered once per library. */
async function ownerOf(library: Library, rollNumber: string): Promise<Person> {
  const known = owners.get(library) ?? new Map<string, Person>()
  owners.set(library, known)
  const owner = known.get(rollNumber) ?? (await library.student({ rollNumber }))
  known.set(rollNumber, owner)
  return owner
}

const NOBODY = {
  status: 404,
  contentType: 'application/problem+json',
  body: JSON.stringify({
    type: 'about:blank',
    title: 'Not found',
    status: 404,
    code: 'card-unknown',
    detail: 'Nobody.',
  }),
}

/** Returns the numbers that the camera has read, in order, once every card of the film was read. */
async function readWholeFilm(page: Page): Promise<string[]> {
  const read: string[] = []
  await page.route('**/auth/id-card', (route) => {
    const { rollNumber } = route.request().postDataJSON() as { rollNumber: string }
    read.push(rollNumber)
    const all = allCards.every((card) => read.includes(rollNumberOf(card)))
    return all ? route.continue() : route.fulfill(NOBODY)
  })
  return read
}

for (const [scene, distance] of [
  ['cards near', 'near'],
  ['cards far', 'far'],
] as const) {
  test.describe(`a film of cards, ${distance}`, () => {
    test.use({ scene, permissions: ['camera'] })

    test(`R-SCAN-1 R-SCAN-2 R-SCAN-9 all six symbologies, ${distance}: from the camera to the filled email to being signed in`, async ({
      page,
      library,
      watch,
    }) => {
      // The film has its own pace, and the machine may be busy.
      test.setTimeout(180_000)
      watch.refuses(404)
      const numbers = allCards.map(rollNumberOf)
      // The card read last must have an owner, whichever it is.
      for (const number of numbers) await ownerOf(library, number)
      const read = await readWholeFilm(page)
      await openScanner(page)
      await expect(email(page)).not.toHaveValue('', { timeout: 120_000 })
      // Every card of the film and nothing else. A busy machine may miss one until the film repeats.
      expect([...new Set(read)].toSorted()).toEqual(numbers.toSorted())
      const address = (await ownerOf(library, read.at(-1) ?? '')).user.email
      await expect(email(page)).toHaveValue(address)
      await expect(page.getByText(`Card found: ${address}. Enter your password.`)).toBeVisible()
      await expect(password(page)).toBeFocused()
      await expect(panel(page)).toHaveCount(0)
      await expect(toggle(page)).toHaveAttribute('aria-expanded', 'false')
      await page.keyboard.type(PASSWORD, { delay: 70 })
      await page.keyboard.press('Enter')
      await expect(page).toHaveURL(/\/student-home$/)
    })
  })
}

test.describe('the scanner at work', () => {
  test.use({ scene: 'two cameras', permissions: ['camera'] })

  test('R-SCAN-1 R-SCAN-5 R-SCAN-7 starts, pauses, goes on and stops; the camera is let go of; nothing was loaded before', async ({
    page,
  }) => {
    const loaded: string[] = []
    page.on('request', (request) => loaded.push(request.url()))
    await keepStreams(page)
    await page.goto('login')
    await expect(email(page)).toBeFocused()
    // Chunks loaded when idle have arrived.
    await expect.poll(() => loaded.some((url) => chunkOf('app/vitals.ts').test(url))).toBe(true)
    const scanner = chunkOf('features/scanner/index.ts')
    expect(loaded.filter((url) => scanner.test(url) || /decoder|wasm/.test(url))).toEqual([])
    await toggle(page).click()
    await expect(headline(page)).toHaveText(AIM)
    expect(loaded.filter((url) => url.endsWith('.wasm'))).toHaveLength(1)
    expect(await camerasOn(page)).toBe(1)
    await expectAccessible(page, 'scanning')

    await panel(page).getByRole('button', { name: 'Pause' }).click()
    await expect(headline(page)).toHaveText('Scanner paused')
    // W16: the camera's light goes out.
    expect(await camerasOn(page)).toBe(0)
    await expectAccessible(page, 'paused')
    await panel(page).getByRole('button', { name: 'Resume' }).click()
    await expect(headline(page)).toHaveText(AIM)
    expect(await camerasOn(page)).toBe(1)

    await toggle(page).click()
    await expect(panel(page)).toHaveCount(0)
    expect(await camerasOn(page)).toBe(0)
    const kept = () => page.evaluate(() => JSON.parse(localStorage.getItem('HTML5_QRCODE_DATA') ?? 'null') as unknown)
    await expect.poll(kept).toEqual({ hasPermission: true, lastUsedCameraId: expect.stringMatching(/./) })
  })

  test('the camera is let go of on another page and while the page is hidden', async ({ page }) => {
    await keepStreams(page)
    await openScanner(page)
    await expect(headline(page)).toHaveText(AIM)
    const seen = (state: 'hidden' | 'visible') =>
      page.evaluate((value) => {
        Object.defineProperty(document, 'visibilityState', { configurable: true, value })
        document.dispatchEvent(new Event('visibilitychange'))
      }, state)
    await seen('hidden')
    await expect(headline(page)).toHaveText('Scanner paused')
    expect(await camerasOn(page)).toBe(0)
    await seen('visible')
    await expect(headline(page)).toHaveText(AIM)
    expect(await camerasOn(page)).toBe(1)
    await page.getByRole('link', { name: 'Register' }).click()
    await expect(page).toHaveURL(/\/register$/)
    await expect.poll(() => camerasOn(page)).toBe(0)
  })

  // Without its windows the browser names its cameras anew after each reload.
  test(
    'R-SCAN-6 R-SCAN-7 another camera is chosen and remembered; one that is gone is replaced',
    { tag: '@whole' },
    async ({ page }) => {
      await openScanner(page)
      const choice = panel(page).getByLabel('Camera', { exact: true })
      await expect(choice.getByRole('option')).toHaveCount(2)
      // Read once: both cameras are listed, and the value is the test's choice.
      const first = await choice.inputValue()
      await choice.selectOption({ index: 1 })
      await expect(headline(page)).toHaveText(AIM)
      await expect(choice).not.toHaveValue(first)
      // Read once: as above.
      const second = await choice.inputValue()
      await page.reload()
      await toggle(page).click()
      await expect(choice).toHaveValue(second)
      await page.evaluate(() =>
        localStorage.setItem('HTML5_QRCODE_DATA', '{"hasPermission":true,"lastUsedCameraId":"gone"}'),
      )
      await page.reload()
      await toggle(page).click()
      await expect(headline(page)).toHaveText(AIM)
      await expect(choice).toHaveValue(first)
      await page.evaluate(() => localStorage.setItem('HTML5_QRCODE_DATA', '[not json'))
      await page.reload()
      await toggle(page).click()
      await expect(headline(page)).toHaveText(AIM)
    },
  )

  test('R-SCAN-6 the zoom goes from 1 to 5 in steps of 0.1 and enlarges what the lens cannot', async ({ page }) => {
    await openScanner(page)
    const zoom = panel(page).getByRole('slider', { name: 'Zoom' })
    await expect(zoom).toHaveAttribute('min', '1')
    await expect(zoom).toHaveAttribute('max', '5')
    await expect(zoom).toHaveAttribute('step', '0.1')
    await zoom.press('ArrowRight')
    await expect(zoom).toHaveValue('1.1')
    await zoom.press('End')
    await expect(panel(page).getByText('5.0×')).toBeVisible()
    await expect(panel(page).locator('video')).toHaveCSS('transform', 'matrix(5, 0, 0, 5, 0, 0)')
  })

  test('R-SCAN-6 R-SCAN-8 a camera with a lens and a light is told what to do; a light that fails is said', async ({
    page,
  }) => {
    // No fake camera has either, so its track is given both.
    await page.addInitScript(() => {
      const asked: unknown[] = []
      Object.assign(window, { asked })
      MediaStreamTrack.prototype.getCapabilities = () =>
        ({ torch: true, zoom: { min: 1, max: 3, step: 0.1 } }) as MediaTrackCapabilities
      MediaStreamTrack.prototype.applyConstraints = (wishes) => {
        asked.push(wishes)
        const fails = asked.length > 4
        return fails ? Promise.reject(new DOMException('broken', 'OperationError')) : Promise.resolve()
      }
    })
    await openScanner(page)
    await expect(headline(page)).toHaveText(AIM)
    const zoom = panel(page).getByRole('slider', { name: 'Zoom' })
    await zoom.fill('2.5')
    await expect(panel(page).locator('video')).toHaveCSS('transform', 'matrix(1, 0, 0, 1, 0, 0)')
    const torch = panel(page).getByRole('button', { name: 'Torch' })
    await torch.click()
    await expect(torch).toHaveAttribute('aria-pressed', 'true')
    await torch.click()
    await expect(torch).toHaveAttribute('aria-pressed', 'false')
    await expect
      .poll(() => page.evaluate(() => (window as unknown as { asked: unknown[] }).asked))
      .toEqual([
        { advanced: [{ zoom: 1 }] },
        { advanced: [{ zoom: 2.5 }] },
        { advanced: [{ torch: true }] },
        { advanced: [{ torch: false }] },
      ])
    await torch.click()
    await expect(headline(page)).toHaveText('Failed to turn on torch.')
    await expectAccessible(page, 'a light that failed')
  })

  test('R-SCAN-6 R-SCAN-8 a scan box under 50 px is refused in words', async ({ page }) => {
    await keepStreams(page)
    await page.setViewportSize({ width: 600, height: 90 })
    await openScanner(page)
    await expect(headline(page)).toContainText('This window is too small to scan.')
    expect(await camerasOn(page)).toBe(0)
    // Starts by itself as soon as there is room.
    await page.setViewportSize({ width: 390, height: 844 })
    await expect(headline(page)).toHaveText(AIM)
  })

  test('U27 nothing sticks out at 1440, 768, 390 and 320 px, in light and dark', async ({ page }) => {
    await openScanner(page)
    await expect(headline(page)).toHaveText(AIM)
    for (const width of [1440, 768, 390, 320]) {
      await page.setViewportSize({ width, height: 900 })
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', colorScheme)
        await expectNoSidewaysScroll(page, `scanning at ${width} px`)
        // Between these widths only the room changes.
        if (width !== 1440 && width !== 320) continue
        const check = colorScheme === 'light' ? 'everything' : 'colours'
        await expectAccessible(page, `scanning at ${width} px, ${colorScheme}`, check)
      }
      if (width > 768) continue
      // Large enough for a thumb.
      for (const target of await panel(page).locator('button, select, input:not([type=file])').all()) {
        await expect
          .poll(
            async () => {
              const { width: across, height: down } = (await target.boundingBox()) ?? { width: 0, height: 0 }
              return Math.min(across, down)
            },
            `${width} px: ${await target.evaluate((element) => element.outerHTML)}`,
          )
          .toBeGreaterThanOrEqual(44)
      }
    }
  })
})

test.describe('R-SCAN-8 what is wrong is said where the scanner is', () => {
  for (const [scene, words] of [
    ['no camera', 'No camera found'],
    ['not allowed', 'Camera access is blocked. Allow it from the address bar, then try again.'],
  ] as const) {
    test.describe(scene, () => {
      test.use({ scene })

      // Without its windows the browser does not say that a camera is not allowed.
      const tag = scene === 'not allowed' ? ['@whole'] : []
      test('is said, in light and dark', { tag }, async ({ page }) => {
        await openScanner(page)
        await expect(headline(page)).toContainText(words)
        await expect(panel(page).getByRole('button', { name: 'Try again' })).toBeVisible()
        await expectAccessible(page, scene)
        await page.emulateMedia({ colorScheme: 'dark' })
        await expectAccessible(page, `${scene}, dark`, 'colours')
      })
    })
  }

  test.describe('no secure context', () => {
    test.use({ scene: 'no secure context' })

    test('is said', async ({ page, library, watch }) => {
      watch.excuse(new RegExp(`^foreign host: http://${HOST}:`), /Cross-Origin-Opener-Policy/)
      await page.goto(`${library.url.replace('localhost', HOST).replace('127.0.0.1', HOST)}login`)
      await toggle(page).click()
      await expect(headline(page)).toHaveText(
        'Camera access is only supported in secure context like https or localhost.',
      )
    })
  })

  test('a browser without cameras, and a camera that another program uses', async ({ page, context }) => {
    await page.addInitScript(() => Object.defineProperty(navigator, 'mediaDevices', { value: undefined }))
    await openScanner(page)
    await expect(headline(page)).toHaveText('Camera streaming not supported by the browser.')
    const other = await context.newPage()
    await other.addInitScript(() => {
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('busy', 'NotReadableError'))
    })
    await openScanner(other)
    await expect(headline(other)).toContainText('Another app is using the camera.')
  })
})

test.describe('R-SCAN-4 a picture of the card', () => {
  const card = cardOf('Code128')
  const choose = (page: Page) => panel(page).locator('input[type=file]')

  test('a JPEG of 12 megapixels that lies on its side by its EXIF data', async ({ page, library, rotatedPhoto }) => {
    const { user } = await library.student({ rollNumber: 'exif-2026' })
    await openScanner(page)
    await choose(page).setInputFiles(rotatedPhoto)
    await expect(email(page)).toHaveValue(user.email)
  })

  for (const type of ['png', 'webp'] as const) {
    // One way of dropping in each run; the other format differs only in the browser's decoder.
    const tag = type === 'webp' ? ['@nightly'] : []
    test(`a ${type} picture that is dropped on the panel`, { tag }, async ({ page, library }) => {
      const { user } = await library.student({ rollNumber: `drop-${type}26` })
      const picture = toRgba(drawn({ ...card, text: `DROP-${type}26` }, { width: 900, height: 700, module: 3 }))
      await openScanner(page)
      const { width, height } = picture
      const data = Buffer.from(picture.data.buffer).toString('base64')
      // The browser itself creates the file.
      const file = await page.evaluateHandle(
        async (made) => {
          const canvas = new OffscreenCanvas(made.width, made.height)
          const bytes = Uint8ClampedArray.from(atob(made.data), (sign) => sign.charCodeAt(0))
          canvas.getContext('2d')?.putImageData(new ImageData(bytes, made.width, made.height), 0, 0)
          const blob = await canvas.convertToBlob({ type: `image/${made.type}` })
          const transfer = new DataTransfer()
          transfer.items.add(new File([blob], `card.${made.type}`, { type: blob.type }))
          return transfer
        },
        { width, height, data, type },
      )
      await panel(page).dispatchEvent('drop', { dataTransfer: file })
      await expect(email(page)).toHaveValue(user.email)
    })
  }

  test('what is too large, no picture, or has no code is said', async ({ page }, testInfo) => {
    await openScanner(page)
    // By path: as a buffer it would travel to the browser through this test, slowly on a busy machine.
    const large = testInfo.outputPath('large.jpg')
    await writeFile(large, Buffer.alloc(10 * 1024 * 1024 + 1))
    await choose(page).setInputFiles(large)
    await expect(headline(page)).toHaveText('This picture is larger than 10 MB. Please choose a smaller one.')
    await choose(page).setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: Buffer.from('no picture') })
    await expect(headline(page)).toContainText('This is not a JPEG, PNG or WebP picture.')
    // Only the first bytes: it is refused by its stated size.
    const huge = Buffer.from('89504e470d0a1a0a0000000d49484452000017700000177008060000000000000000', 'hex')
    await choose(page).setInputFiles({ name: 'huge.png', mimeType: 'image/png', buffer: huge })
    await expect(headline(page)).toContainText('This picture has more than 25 megapixels.')
    const empty = toJpeg(toRgba({ data: new Float32Array(640 * 480).fill(200), width: 640, height: 480 }), 80)
    await choose(page).setInputFiles({ name: 'empty.jpg', mimeType: 'image/jpeg', buffer: empty })
    await expect(headline(page)).toContainText('No barcode was found in this picture.')
    await expectAccessible(page, 'a picture without a code')
  })
})

test.describe('R-SCAN-9 a USB scanner, which types and presses Enter', () => {
  test('R-SCAN-3 works with the focus anywhere, over and over, and says that a card is nobody’s', async ({
    page,
    library,
    watch,
  }) => {
    watch.refuses(404)
    const [one, other] = [
      await library.student({ rollNumber: 'usb-001' }),
      await library.student({ rollNumber: 'usb-002' }),
    ]
    await page.goto('login')
    await expect(email(page)).toBeVisible()
    await wedgeScan(page, 'USB-001')
    await expect(email(page)).toHaveValue(one.user.email)
    // The password has the focus now; the next person scans.
    await expect(password(page)).toBeFocused()
    await wedgeScan(page, 'USB-002')
    await expect(email(page)).toHaveValue(other.user.email)
    await expect(password(page)).toHaveValue('')
    await email(page).focus()
    await wedgeScan(page, 'USB-001')
    await expect(email(page)).toHaveValue(one.user.email)
    await page.getByRole('button', { name: 'Sign In', exact: true }).focus()
    await wedgeScan(page, 'USB-002')
    await expect(email(page)).toHaveValue(other.user.email)
    await expectAccessible(page, 'a card was found')
    await email(page).fill('')
    await wedgeScan(page, 'NOBODY-1')
    await expect(page.getByRole('alert')).toHaveText('No user found for the scanned roll number.')
    await expect(email(page)).toHaveValue('')
    await expectAccessible(page, 'a card of nobody')
    await wedgeScan(page, 'USB-002')
    await expect(email(page)).toHaveValue(other.user.email)
    await expect(password(page)).toBeFocused()
    await page.keyboard.type(PASSWORD, { delay: 70 })
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/\/student-home$/)
  })

  test('never swallows what a person types', async ({ page, watch }) => {
    watch.refuses(401)
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.goto('login')
    await email(page).focus()
    await page.keyboard.type('fast.typist1@college.test', { delay: 65 })
    await page.keyboard.press('Tab')
    await password(page).focus()
    await page.keyboard.type('pass1234', { delay: 65 })
    await page.keyboard.press('Enter')
    await expect(page.getByRole('alert')).toHaveText('Invalid email or password.')
    await expect(email(page)).toHaveValue('fast.typist1@college.test')
    await expect(password(page)).toHaveValue('pass1234')
    expect(asked.filter((path) => path.endsWith('/auth/id-card'))).toEqual([])
  })
})

test.describe('a limit and switches of the server', () => {
  test.describe('the limit', () => {
    test.use({ shelf: 'fresh' })

    test('more than 30 look-ups in ten minutes are refused in plain words', async ({ page, library, watch }) => {
      watch.refuses(404, 429)
      for (let at = 0; at < 30; at += 1) await library.call('POST', '/auth/id-card', { rollNumber: `nobody-${at}` })
      await page.goto('login')
      await toggle(page).click()
      const typed = panel(page).getByRole('textbox', { name: 'Roll number' })
      await typed.fill('cs26-001')
      await typed.press('Enter')
      await expect(page.getByRole('alert')).toHaveText(
        /^Too many cards were looked up from here\. Wait (a minute|\d+ (seconds|minutes)), or enter your email address\.$/,
      )
    })
  })

  const scanAfresh = async (page: Page, code: string) => {
    await page.goto('login')
    await expect(email(page)).toBeVisible()
    await wedgeScan(page, code)
  }

  test.describe('the server', () => {
    test.use({ shelf: 'fresh' })

    test('R-SCAN-3 is gone', async ({ page, library, watch }) => {
      watch.excuse(
        /ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|Loading chunk (messages|notices|scanner) failed/,
      )
      await page.goto('login')
      await expect(email(page)).toBeVisible()
      await email(page).fill('asha@college.test')
      await library.stop()
      await wedgeScan(page, 'CS26-001')
      await expect(page.getByRole('alert')).toHaveText('Failed to fetch user from the database.')
      await toggle(page).click()
      await expect(page.getByRole('alert')).toContainText('The scanner could not be loaded.')
      await expect(email(page)).toHaveValue(/^asha@college\.test/)
    })
  })

  test.describe('a library that does not look up cards', () => {
    test.use({ shelf: 'fresh', served: ['--id-card=off'] })

    test('R-SCAN-2 offers no scanner, and says so to a page that was open before', async ({ page, watch }) => {
      watch.refuses(404)
      await page.goto('login')
      await expect(email(page)).toBeVisible()
      await expect(toggle(page)).toHaveCount(0)
      await page.route('**/auth/session', (route) => route.fulfill({ json: { user: null, idCard: true } }))
      await scanAfresh(page, 'CS26-001')
      await expect(page.getByRole('alert')).toHaveText(
        'This library does not look up ID cards. Enter your email address.',
      )
    })
  })

  test.describe('a library that shows a part of the address', () => {
    test.use({ shelf: 'fresh', served: ['--id-card=masked'] })

    test('R-SCAN-2 asks for the whole one', async ({ page, library }) => {
      await library.student({ rollNumber: 'mask-001', email: 'asha.rao@college.test' })
      await scanAfresh(page, 'MASK-001')
      await expect(page.getByText('Card found: a***@college.test.')).toContainText('Enter your full email address.')
      await expect(email(page)).toHaveValue('')
      await expect(email(page)).toBeFocused()
    })
  })
})
