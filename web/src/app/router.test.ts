import { readFileSync } from 'node:fs'
import { matchRoutes } from 'react-router'
import { describe, expect, it } from 'vitest'
import { BASE_PATH, idOf, safeNext } from '../lib/paths'
import { paths, screenAt, screens, screensOf } from '../screens'
import { librarian, student } from '../testing/samples'
import { routes } from './router'

/** One address of each screen. */
const built = Object.entries(paths).map(([name, to]) => [name, to('1')] as const)

describe('paths', () => {
  it.each(built)('R-SHELL-5: %s leads to the screen of its name', (name, address) => {
    const url = new URL(address, 'http://library.test')
    const matches = matchRoutes(routes, BASE_PATH + url.pathname, BASE_PATH)
    const own = name === 'receiptCopy' ? 'receipt' : (name as keyof typeof screens)
    expect(matches?.at(-1)?.route.path).toBe(screens[own].path)
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

  it.each(Object.values(screens))('V9: knows the screen at $path, and so whom it is for', (screen) => {
    expect(screenAt(screen.path.replace(':id', '7'))).toBe(screen)
  })

  it('finds the screen of a path, and the screens of a person', () => {
    expect(screenAt('/update')).toBeUndefined()
    const own = [screens.studentHome, screens.notices, screens.profile, screens.security, screens.newHome]
    expect(screensOf(student)).toEqual(own)
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
