import { readFileSync } from 'node:fs'
import { matchRoutes } from 'react-router'
import { describe, expect, it } from 'vitest'
import { BASE_PATH, idOf, paths, safeNext } from '../lib/paths'
import { screenAt, screens, screensOf } from '../lib/screens'
import { librarian, student } from '../testing/samples'
import { routes } from './router'

/** Screens of the specification; each address below must lead to a route of its own (R-SHELL-5). */
const built = {
  login: paths.login('/home'),
  register: paths.register(),
  redeem: paths.redeem(),
  home: paths.home(),
  fine: paths.fine(),
  books: paths.books(),
  desk: paths.desk(),
  deskToday: paths.deskToday(),
  deleteBooks: paths.deleteBooks(),
  receipt: paths.receipt('2026-27/000001'),
  addBook: paths.addBook(),
  updateBook: paths.updateBook(1),
  bookDetail: paths.bookDetail(1),
  people: paths.people(),
  person: paths.person(1),
  importPeople: paths.importPeople(),
  promote: paths.promote(),
  noDues: paths.noDues('K7RM-2QXD'),
  holds: paths.holds(),
  money: paths.money(),
  receiptCopy: paths.receiptCopy('2026-27/000001'),
  toShelve: paths.toShelve(),
  settings: paths.settings(),
  activity: paths.activity(),
  studentHome: paths.studentHome(),
  studentBookDetail: paths.studentBookDetail(1),
  profile: paths.profile(),
  security: paths.security(),
  newHome: paths.newHome(),
} satisfies Record<keyof typeof paths, string>

describe('paths', () => {
  it.each(Object.entries(built))('R-SHELL-5: %s leads to a screen', (_name, address) => {
    const url = new URL(address, 'http://library.test')
    const matches = matchRoutes(routes, BASE_PATH + url.pathname, BASE_PATH)
    expect(matches?.at(-1)?.route.path).toBeDefined()
  })

  it('R-LOGIN-1: the base path, /login and /library are the sign-in screen', () => {
    for (const { path } of [screens.base, screens.login, screens.library]) {
      expect(matchRoutes(routes, BASE_PATH + path, BASE_PATH)?.at(-1)?.route.path).toBe(path)
    }
  })

  it('R-SHELL-5: the server knows exactly the same screens', () => {
    const source = readFileSync('../src/http/web.rs', 'utf8')
    const list = /SCREENS: &\[&str\] = &\[([^\]]*)\]/.exec(source)?.[1] ?? ''
    const known = [...list.matchAll(/"([^"]*)"/g)].map((match) => `/${match[1]}`)
    const own = Object.values(screens).map(({ path }) => path.replace(':id', '{id}'))
    expect(known.toSorted()).toEqual(own.toSorted())
  })

  it('finds the screen of a path, and the screens of a person', () => {
    expect(screenAt('/update/7')).toBe(screens.updateBook)
    expect(screenAt('/')).toBe(screens.base)
    expect(screenAt('/update')).toBeUndefined()
    expect(screensOf(student)).toEqual([screens.studentHome, screens.profile, screens.security, screens.newHome])
    const assistant = screensOf({ ...librarian, capabilities: ['desk'] })
    expect(assistant).toContain(screens.desk)
    expect(assistant).not.toContain(screens.settings)
    expect(screensOf(null)).toEqual([screens.login, screens.register, screens.newHome])
  })

  it('R-SHELL-2: an unknown address matches nothing', () => {
    expect(matchRoutes(routes, `${BASE_PATH}/nowhere`, BASE_PATH)).toBeNull()
  })

  it('returns only to places inside the product', () => {
    expect(safeNext('/stubook-detail/3?q=a')).toBe('/stubook-detail/3?q=a')
    for (const outside of ['https://evil.test', '//evil.test', '/\\evil.test', 'home', null]) {
      expect(safeNext(outside)).toBeNull()
    }
  })

  it('takes only a positive whole number for an id', () => {
    expect(idOf('12')).toBe(12)
    for (const wrong of ['0', '-1', '1.5', 'abc', '', undefined, '1e3']) expect(idOf(wrong)).toBeNull()
  })
})
