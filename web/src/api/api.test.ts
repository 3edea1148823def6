import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { fakeServer, problem } from '../testing/server'
import { client, dataOf } from './client'
import { forms } from './contract'
import { ProblemError } from '../lib/problem'
import { check, validators } from './validate'

describe('generated files', () => {
  it("fit the server's document", () => {
    expect(() => execFileSync('node', ['scripts/generate.mjs', '--check'], { stdio: 'pipe' })).not.toThrow()
  })
})

async function failure(call: Promise<unknown>): Promise<ProblemError> {
  const error: unknown = await call.catch((thrown: unknown) => thrown)
  if (!(error instanceof ProblemError)) throw new Error('no ProblemError was thrown')
  return error
}

describe('what a call throws', () => {
  it("carries the server's words, code and fields", async () => {
    fakeServer({ 'GET /me': problem(422, 'invalid', 'Look again.', [{ field: 'name', message: 'Name is required.' }]) })
    const error = await failure(dataOf(client.GET('/me')))
    expect(error.message).toBe('Look again.')
    expect(error.code).toBe('invalid')
    expect(error.fields).toEqual({ name: 'Name is required.' })
  })

  it('is in plain words when the network fails', async () => {
    fakeServer({
      'GET /me': () => {
        throw new TypeError('Failed to fetch')
      },
    })
    const error = await failure(dataOf(client.GET('/me')))
    expect([error.status, error.code]).toEqual([0, 'unreachable'])
    expect(error.message).toContain('cannot be reached')
  })

  it('is in plain words when something else than the server answers', async () => {
    fakeServer({ 'GET /me': { status: 502, body: '<html>', headers: { 'Content-Type': 'text/html' } } })
    const error = await failure(dataOf(client.GET('/me')))
    expect(error.status).toBe(502)
    expect(error.message).toContain('Please try again')
  })

  it('says how long to wait', async () => {
    fakeServer({
      'GET /me': { ...problem(429, 'too-many-requests', 'Slow down.'), headers: { 'Retry-After': '30' } },
    })
    expect((await failure(dataOf(client.GET('/me')))).retryAfter).toBe(30)
  })
})

describe('rules of the forms', () => {
  it('R-BOOK-2: description at least 200 characters, counted as the server counts', () => {
    const rule = forms.BookForm.description
    expect(check('', rule)).toBe('Description is required.')
    expect(check('x'.repeat(199), rule)).toBe('Description must be at least 200 characters.')
    expect(check('x'.repeat(200), rule)).toBeNull()
    expect(check('📚'.repeat(199), rule)).toBe('Description must be at least 200 characters.')
    expect(check(`${' '.repeat(200)}x`, rule)).toBe('Description must be at least 200 characters.')
  })

  it('R-BOOK-2: the photo is a web address, the number of books at least 1, the status one of two', () => {
    expect(check('not an address', forms.BookForm.photoURL)).toContain('web address')
    expect(check('javascript:alert(1)', forms.BookForm.photoURL)).toContain('web address')
    expect(check('https://pictures.test/a.jpg', forms.BookForm.photoURL)).toBeNull()
    expect(check(0, forms.BookForm.noOfBooks)).toContain('whole number')
    expect(check(1.5, forms.BookForm.noOfBooks)).toContain('whole number')
    expect(check(1, forms.BookForm.noOfBooks)).toBeNull()
    expect(check('Lost', forms.BookForm.status)).toContain('choices')
  })

  it('gives one rule per field', () => {
    expect(Object.keys(validators(forms.Registration))).toEqual(Object.keys(forms.Registration))
  })
})
