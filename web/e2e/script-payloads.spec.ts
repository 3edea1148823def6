import type { Page } from '@playwright/test'
import { screens, type ScreenName } from '../src/screens'
import { open } from './support/layout'
import { expect, test } from './support/test'
import type { Person } from './support/library'

/**
 * Texts that would become elements, attributes, scripts or templates if unescaped (ASVS 1.2.1, R19). At most 100
 * letters.
 */
const PAYLOADS = [
  '<script>alert(1)</script>',
  '<script src=//x.test/a.js></script>',
  '"><script>alert(1)</script>',
  "'><script>alert(1)</script>",
  '</title><script>alert(1)</script>',
  '</textarea><script>alert(1)</script>',
  '</style><script>alert(1)</script>',
  '</script><script>alert(1)</script>',
  '<ScRiPt>alert(1)</sCrIpT>',
  '<scr<script>ipt>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<img src=x onerror="alert(1)"',
  '"><img src=x onerror=alert(1)>',
  '<img/src/onerror=alert(1)>',
  '<svg onload=alert(1)>',
  '<svg><script>alert(1)</script></svg>',
  '<svg><animate onbegin=alert(1) attributeName=x dur=1s>',
  '<svg><a xlink:href="javascript:alert(1)"><text y=9>x</text></a></svg>',
  '<math><mtext><style><img src onerror=alert(1)></style></mtext></math>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<object data="javascript:alert(1)"></object>',
  '<embed src="data:text/html,<script>alert(1)</script>">',
  '<a href="javascript:alert(1)">x</a>',
  '<a href="java&#9;script:alert(1)">x</a>',
  '<body onload=alert(1)>',
  '<details open ontoggle=alert(1)>',
  '<input autofocus onfocus=alert(1)>',
  '<video><source onerror=alert(1)></video>',
  '<marquee onstart=alert(1)>x</marquee>',
  '<form action="javascript:alert(1)"><button>x</button></form>',
  '<base href="//x.test/">',
  '<meta http-equiv=refresh content="0;url=javascript:alert(1)">',
  '<link rel=stylesheet href=//x.test/a.css>',
  '<style>*{background:url(//x.test/a)}</style>',
  '<template><script>alert(1)</script></template>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '{{constructor.constructor("alert(1)")()}}',
  '${alert(1)} {alert, number} %3Cscript%3E',
  'javascript:alert(1)//"onmouseover=alert(1) x="',
]

type Audience = (typeof screens)[ScreenName]['for']

type Filled = { book: number; reader: Person; receipt: string; certificate: string }

const short = (text: string, length: number) => text.slice(0, length).trim()

test.describe('as a librarian', () => {
  test.use({ as: 'librarian', shelf: 'fresh' })

  test('ASVS 1.2.1 R19: typed script is shown as text on every screen and never runs', async ({
    page,
    pageOf,
    library,
    who,
    watch,
  }) => {
    // About fifty screens, on a possibly busy machine.
    test.setTimeout(240_000)
    if (!who) throw new Error('a librarian')
    const dialogs: string[] = []
    // The phone's page has an invalid code, the page of a new password an invalid link.
    watch.refuses(410)
    watch.refuses(401)
    const reader = await library.student({ name: short(PAYLOADS[0] ?? '', 100) })
    const filled = await fill(who, reader, await library.student(), (changes) => library.bookForm(changes))
    const [visitor, student] = [await pageOf(null), await pageOf(filled.reader)]
    let seen = ''
    for (const each of [page, visitor, student]) {
      each.on('dialog', (dialog) => {
        dialogs.push(dialog.message())
        void dialog.dismiss()
      })
    }
    const walk = async (by: Page, whose: readonly Audience[]) => {
      for (const [name, paths] of Object.entries(addressesOf(filled))) {
        if (!whose.includes(screens[name as ScreenName].for)) continue
        for (const path of paths) {
          await open(by, path)
          seen += await textOf(by)
          expect(await strangersIn(by), `elements that nobody wrote on ${path}`).toEqual([])
        }
      }
    }
    await Promise.all([
      walk(page, ['admin', 'person']),
      walk(student, ['student']),
      walk(visitor, ['visitor', 'everybody']),
    ])
    // Planted payloads are detected.
    await page.evaluate(() => document.body.insertAdjacentHTML('beforeend', '<iframe></iframe><a href="javascript:">'))
    expect(await strangersIn(page)).toHaveLength(2)
    await page.goto(`covers/${filled.book}.svg`)
    await expect(page.locator('script, foreignObject, a, image')).toHaveCount(0)

    expect(dialogs).toEqual([])
    const missing = PAYLOADS.filter((payload) => !seen.includes(payload.replace(/\s+/g, ' ')))
    expect(missing, 'payloads that no screen shows as they were typed').toEqual([])
  })
})

/** Puts a payload into every input of people. */
async function fill(
  librarian: Person,
  reader: Person,
  other: Person,
  form: (changes: object) => object,
): Promise<Filled> {
  const settings = await librarian.ask<object>('GET', '/settings/library')
  const named = { ...settings, name: short(PAYLOADS[10] ?? '', 100), departments: PAYLOADS.slice(9, 20) }
  await librarian.ask('PUT', '/settings/library', named, await version(librarian, '/settings/library'))
  const closed = PAYLOADS.slice(12, 20).map((payload, day) => ({ from: `2027-01-0${day + 1}`, name: payload }))
  const calendar = { closedWeekdays: [], closedDates: closed }
  await librarian.ask('PUT', '/settings/calendar', calendar, await version(librarian, '/settings/calendar'))

  let book = 0
  for (const payload of PAYLOADS) {
    const changes = { title: payload, author: payload, genre: payload, location: payload, noOfBooks: 1 }
    const added = await librarian.ask<{ id: number }>(
      'POST',
      '/books',
      form({ ...changes, description: `${payload} `.repeat(9).padEnd(200, '.') }),
    )
    book = added.id
    await reader.review(book, { rating: 3, comment: `${payload}\n${payload}` })
    const person = { name: payload, department: payload, rollNumber: short(payload, 32), batch: '2027' }
    if (book % 4 === 0) await librarian.ask('POST', '/people', person)
  }
  await reader.borrow(book)
  const [another] = await librarian
    .ask<{ copies: { id: number }[] }>('GET', `/books/${book - 2}/copies`)
    .then((all) => all.copies.slice(-1))
  await librarian.ask('POST', `/copies/${another?.id}/move`, { state: 'in-repair', note: PAYLOADS[14] })
  await other.borrow(book - 1)
  await reader.ask('POST', `/books/${book - 1}/holds`, {})
  const { charge } = await librarian.ask<{ charge: { id: number } }>('POST', `/people/${reader.user.uid}/charges`, {
    amount: 20,
    kind: 'damage',
    reason: PAYLOADS[15],
  })
  await librarian.ask('POST', `/charges/${charge.id}/waive`, { amount: 5, reason: PAYLOADS[16] })
  const { receipt } = await librarian.ask<{ receipt: { number: string } }>(
    'POST',
    `/people/${reader.user.uid}/payments`,
    { amount: 15, method: 'upi', reference: PAYLOADS[10] },
  )
  const barred = { until: '2099-12-31', reason: PAYLOADS[18] }
  await librarian.ask('PATCH', `/people/${reader.user.uid}`, { barred })
  const free = await librarian.ask<{ uid: number }>('POST', '/people', { name: PAYLOADS[19] })
  const { number } = await librarian.ask<{ number: string }>('POST', `/people/${free.uid}/no-dues`)
  return { book, reader, receipt: receipt.number, certificate: number }
}

async function version(librarian: Person, path: string): Promise<Record<string, string>> {
  const { headers } = await librarian.call('GET', path)
  return { 'If-Match': headers.get('ETag') ?? '' }
}

/** Returns every screen with the payload on it; a new screen must be added here. */
function addressesOf({ book, reader, receipt, certificate }: Filled): Record<ScreenName, string[]> {
  const { uid } = reader.user
  return {
    base: [],
    library: [],
    login: ['login?next=javascript:alert(1)', 'login?next=%2F%2Fx.test'],
    register: ['register'],
    phone: ['phone#<img src=x onerror=alert(1)>'],
    redeem: ['redeem'],
    forgot: ['forgot'],
    reset: ['reset#<img src=x onerror=alert(1)>'],
    setup: ['setup#<img src=x onerror=alert(1)>'],
    desk: ['desk'],
    deskToday: ['desk/today'],
    home: ['home?sort=newest', 'home?q=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E', 'home?q=alert'],
    fine: ['fine', 'fine?q=%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E'],
    books: ['books?q=alert', 'books?q=x.test'],
    deleteBooks: ['delete?q=alert'],
    addBook: ['add'],
    quickAdd: ['quick-add'],
    updateBook: [`update/${book}`],
    bookDetail: [`book-detail/${book}`],
    people: ['people', 'people?q=%3Csvg%20onload%3Dalert(1)%3E'],
    person: [`people/${uid}`],
    holds: ['holds'],
    closings: ['closings'],
    closing: [],
    money: ['money', 'money?tab=lines'],
    promote: ['promote'],
    noDues: [`no-dues/${certificate}`],
    importPeople: ['import-people', 'import-people?tab=loans', 'import-people?tab=charges'],
    importBooks: ['import-books'],
    receipt: [`receipt/${encodeURIComponent(receipt)}`],
    toShelve: ['to-shelve'],
    labels: ['labels?by=range&from=%3Csvg%20onload%3Dalert(1)%3E', `labels?book=${book}`],
    mails: ['mails?state=%3Csvg%20onload%3Dalert(1)%3E'],
    activity: ['activity'],
    settings: ['settings', 'settings?tab=calendar', 'settings?tab=library'],
    studentHome: ['student-home?sort=newest'],
    profile: ['profile'],
    notices: ['notices'],
    security: ['security'],
    studentBookDetail: [`stubook-detail/${book}`],
    newHome: ['new-home'],
  }
}

/** Returns the page's text with the values of its fields. */
const textOf = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const fields = [...document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea')]
    return [document.body.textContent, document.title, ...fields.map(({ value }) => value), '']
      .join('\n')
      .replace(/\s+/g, ' ')
  })

/** Returns elements and attributes that no screen of ours creates. */
const strangersIn = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const named =
      'iframe, object, embed, base, marquee, math, animate, template:not([id]), svg script, body script:not([src])'
    const strangers = [...document.querySelectorAll(named)].map(({ outerHTML }) => outerHTML.slice(0, 200))
    const leads = new Set(['href', 'xlink:href', 'src', 'action', 'formaction', 'data', 'srcdoc'])
    for (const element of document.querySelectorAll('*')) {
      for (const { name, value } of element.attributes) {
        if (name.startsWith('on') || (leads.has(name) && /^\s*(javascript|data|vbscript):/i.test(value))) {
          strangers.push(`${element.tagName} ${name}="${value.slice(0, 100)}"`)
        }
      }
    }
    return strangers
  })
