import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  catalogueOf,
  differences,
  hardCoded,
  missingParts,
  paramsOf,
  partOf,
  sourceOf,
  usesIn,
} from '../../scripts/messages.mjs'
import { chooseLanguage, currentLanguage, rich, startMessages, t, translate } from '../lib/messages'
import { pseudo } from '../lib/pseudo'
import { screens } from '../screens'

afterEach(async () => {
  await chooseLanguage('en')
})

describe('a message', () => {
  it('has its parameters in it, in the plural that their number asks for', () => {
    expect(t('account.card.found', { email: 'a@library.test' })).toBe(
      'Card found: a@library.test. Enter your password.',
    )
    expect(t('common.stars.count', { stars: 1 })).toBe('1 star')
    expect(t('common.stars.count', { stars: 4 })).toBe('4 stars')
  })

  it.each([
    [15, '₹15'],
    [7.5, '₹7.50'],
    [1250, '₹1,250'],
    [123_456, '₹1,23,456'],
  ])('writes money without decimals when whole: %s', (amount, text) => {
    expect(t('common.money', { amount })).toBe(text)
  })

  it.each(['America/Los_Angeles', 'Asia/Kolkata', 'Pacific/Kiritimati'])(
    'writes a civil day as the day it is, in %s',
    (zone) => {
      vi.stubEnv('TZ', zone)
      expect(t('common.day', { day: '2026-11-28' })).toBe('28 Nov 2026')
      expect(t('common.day', { day: '2026-09-01' })).toBe('1 Sep 2026')
      vi.unstubAllEnvs()
    },
  )

  it('has a link where the translator put it', async () => {
    // Renders the link as text, to be compared as a string.
    const link = (words: readonly unknown[]) => `<${words.join('')}>`
    const shown = () => (rich('account.signIn.newHere', { link }) as { props: { children: unknown } }).props.children
    expect(shown()).toBe('New here? <Register>')
    await chooseLanguage('hi')
    expect(shown()).toBe('पहली बार आए हैं? <पंजीकरण करें>')
  })

  it('that nobody wrote shows by its key, and the console says so', () => {
    const logged = vi.spyOn(console, 'error').mockReturnValue(undefined)
    expect(t('account.nobody.wrote.this' as 'common.cancel')).toBe('account.nobody.wrote.this')
    expect(logged).toHaveBeenCalled()
  })
})

describe('text that runs against the page', () => {
  it('is kept apart in the sentence, which begins as its language does', async () => {
    expect(translate('change.bookDeleted', { title: 'שלום' }, '')).toBe(
      '\u200E“\u2068שלום\u2069” deleted from the catalogue.',
    )
    expect(translate('change.bookDeleted', { title: 'Godaan' }, '')).toBe('“Godaan” deleted from the catalogue.')
    localStorage.setItem('language', 'pseudo-rtl')
    await startMessages()
    expect(translate('change.bookDeleted', { title: 'Godaan' }, '')).toMatch(/^\u200F“\u2068Godaan\u2069/)
    expect(translate('change.bookDeleted', { title: 'שלום' }, '')).not.toContain('\u2068')
  })
})

describe('what the server says', () => {
  it('has another message in it, in the language of the page', async () => {
    const what = { code: 'change.bookDeleted', params: { title: 'Godaan' }, text: 'Words of the server.' }
    expect(translate('block.undoSince', { what }, '')).toBe(
      'Since then: “Godaan” deleted from the catalogue. Undo that first, or correct it by hand.',
    )
    await chooseLanguage('hi')
    expect(translate('block.undoSince', { what }, '')).not.toMatch(/[a-z]{3,} from/)
  })

  it("is told by its code, and in the server's words where the code is not known", () => {
    expect(translate('field.required', { label: 'Title' }, 'from the server')).toBe('Title is required.')
    expect(translate('explain.notCounted', { day: '2026-11-22' }, '')).toBe('Sunday 22 Nov not counted')
    expect(translate('explain.fine', { amount: 7.5, days: 3, rate: 2.5 }, '')).toBe('₹7.50 = 3 days × ₹2.50')
    expect(translate('problem.made-tomorrow', {}, 'Words of tomorrow.')).toBe('Words of tomorrow.')
    // V18: a newer server has renamed the parameter.
    expect(translate('explain.fine', { sum: 7.5, days: 3, rate: 2.5 }, 'Words of tomorrow.')).toBe('Words of tomorrow.')
    expect(translate('change.bookDeleted', { name: 'Godaan' }, 'Words of tomorrow.')).toBe('Words of tomorrow.')
  })
})

describe('the language', () => {
  it('is chosen by a person and kept, and the page says which it is', async () => {
    await chooseLanguage('hi')
    expect(t('account.signIn.title')).toBe('साइन इन')
    expect(document.documentElement.lang).toBe('hi')
    expect(localStorage.getItem('language')).toBe('hi')
    await startMessages()
    expect(currentLanguage()).toBe('hi')
    expect(t('common.money', { amount: 7.5 })).toBe('₹7.50')
  })

  it("is the first of the browser's that there is, until somebody chooses", async () => {
    localStorage.clear()
    vi.spyOn(navigator, 'languages', 'get').mockReturnValue(['fr-FR', 'hi-IN', 'en'])
    await startMessages()
    expect(currentLanguage()).toBe('hi')
  })

  it.each([
    ['first', true],
    ['last', false],
  ])('holds for every part, also when the part of the screens is asked for %s', async (_when, restFirst) => {
    localStorage.setItem('language', 'hi')
    vi.resetModules()
    const fresh = await import('../lib/messages')
    const asked = restFirst
      ? [fresh.loadWords('books'), fresh.startMessages()]
      : [fresh.startMessages(), fresh.loadWords('books')]
    await Promise.all(asked)
    expect(fresh.t('books.home.title')).toBe('पुस्तकें')
    expect(fresh.t('account.signIn.title')).toBe('साइन इन')
  })

  it('may be pseudo-Arabic from right to left, in which every word is strange', async () => {
    localStorage.setItem('language', 'pseudo-rtl')
    await startMessages()
    expect(document.documentElement.dir).toBe('rtl')
    expect(t('account.signIn.title')).toMatch(/^⟦[\u0600-\u06FF ]+⟧$/)
    await chooseLanguage('en')
    expect(document.documentElement.dir).toBe('ltr')
  })

  it('pseudo is two fifths longer and leaves parameters, numbers and days alone', () => {
    expect(pseudo({ a: 'Sign in' }, 'accents')).toEqual({ a: '⟦Šîîĝñ îîñ⟧' })
    expect(
      pseudo(
        {
          a: [
            ['n', 2, { one: [0, ' day'], other: 0 }],
            ['sum', 4, 'money'],
            ['b', 'Go'],
          ],
        },
        'accents',
      ),
    ).toEqual({
      a: [
        ['n', 2, { one: [0, '⟦ ðååý⟧'], other: 0 }],
        ['sum', 4, 'money'],
        ['b', '⟦Ĝöö⟧'],
      ],
    })
  })
})

describe('the check of the catalogue', () => {
  it('finds a key that is missing, one too many, and one that takes other parameters', () => {
    const english = { a: 'A', b: '{n, plural, one {# day} other {# days}}', c: '{name}' }
    expect(differences(english, { hi: { b: '{n} दिन', c: '{title}', d: 'D' } })).toEqual([
      'hi: a is missing',
      'hi: b takes {n: text}, in English {n: number}',
      'hi: c takes {title: text}, in English {name: text}',
      'hi: d is not in English',
    ])
    expect(differences({ a: '{n, plural, one {#}}' }, {})).toHaveLength(1)
  })

  it('knows parameters by kind', () => {
    expect([...paramsOf('{day, date, medium} <b>{sum, number, money}</b> {by, select, card {a} other {b}}')]).toEqual([
      ['day', 'date'],
      ['b', 'tag'],
      ['sum', 'number'],
      ['by', 'one of card|other'],
    ])
  })

  it('knows which keys code names', () => {
    const { names, patterns } = usesIn(sourceOf('a.tsx', "t('app.a'); t(`loans.${action}.done`)"))
    expect(names.has('app.a')).toBe(true)
    expect(patterns.map((pattern) => ['loans.return.done', 'loans.done'].map((key) => pattern.test(key)))).toEqual([
      [true, false],
    ])
  })

  it.each([
    ['<p>Hello</p>', 'Hello'],
    ['<p>{late ? `${n} days late` : null}</p>', '… days late'],
    ["<Field label='Name' />", 'Name'],
    ["<Field error={wrong ? 'Wrong' : null} />", 'Wrong'],
    ["const columns = [{ title: 'Book' }]", 'Book'],
    ["notify('The book is back.')", 'The book is back.'],
  ])('finds text for people in %s', (code, text) => {
    expect(hardCoded(sourceOf('a.tsx', code)).map((found) => found.text)).toEqual([text])
  })

  it.each([
    "<p className='page wide' data-x='two words'>{t('app.a')} · 3 × {n}</p>",
    '<p>My Library</p>',
    "<path d='M10 1.8l2.5 5.2' />",
    "throw new Error('This is for developers')",
    "action({ fault: 'The console says this' })",
  ])('leaves %s alone', (code) => {
    expect(hardCoded(sourceOf('a.tsx', code))).toEqual([])
  })

  it('both languages are whole', () => {
    expect(differences(catalogueOf('en'), { hi: catalogueOf('hi') })).toEqual([])
  })
})

describe('the parts that messages travel in', () => {
  it('are one for each area, and shared ones for what several say', () => {
    expect(partOf('account.signIn.title')).toBe('first')
    expect(partOf('books.home.title')).toBe('books')
    expect(partOf('secondStep.title')).toBe('account')
    expect(partOf('desk.screen.title')).toBe('desk')
    // Answers of the desk are shown on phones too.
    expect(partOf('desk.lent')).toBe('common')
  })

  it('the label of every link of the bar travels with the frame', () => {
    const labels = Object.values(screens).flatMap((screen) => ('label' in screen ? [screen.label] : []))
    expect(labels.length).toBeGreaterThan(10)
    expect(labels.filter((label) => !['first', 'frame'].includes(partOf(label)))).toEqual([])
  })

  it('must be named by a screen: those of its code, of what that imports, and no others', () => {
    const screen = sourceOf('src/features/a/AScreen.tsx', "import { b } from '../b'\nimport('./Later')")
    const index = sourceOf('src/features/b/index.ts', "export { b } from './b'\nexport { c } from './c'")
    const others = [
      screen,
      index,
      sourceOf('src/features/a/Later.tsx', "t('desk.screen.title')"),
      sourceOf('src/features/b/b.ts', "export const b = () => t('books.home.title')"),
      sourceOf('src/features/b/c.ts', "export const c = () => t('settings.title')"),
    ]
    const check = (words: string) =>
      missingParts([
        ...others,
        sourceOf('src/features/a/screens.ts', `const screens = { a: { load: () => import('./AScreen'), ${words} } }`),
      ])
    expect(check("words: ['books', 'desk']")).toEqual([])
    expect(check("words: ['desk']")).toEqual([expect.stringContaining("lack 'books'")])
    expect(check("words: ['books', 'desk', 'money']")).toEqual([expect.stringContaining("'money'")])
    expect(check("for: 'visitor', words: ['books', 'desk']")).toEqual([])
  })
})
