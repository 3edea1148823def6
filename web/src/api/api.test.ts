import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { fakeServer, problem, wrong } from '../testing/server'
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
    const errors = [wrong('name', 'required', { label: 'Full name' })]
    fakeServer({ 'GET /me': problem(422, 'invalid', { params: { count: 1 }, errors }) })
    const error = await failure(dataOf(client.GET('/me')))
    expect(error.message).toBe('Full name is required.')
    expect(error.code).toBe('invalid')
    expect(error.fields).toEqual({ name: 'Full name is required.' })
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
    fakeServer({ 'GET /me': new Response('<html>', { status: 502, headers: { 'Content-Type': 'text/html' } }) })
    const error = await failure(dataOf(client.GET('/me')))
    expect(error.status).toBe(502)
    expect(error.message).toContain('Please try again')
  })

  it('says how long to wait', async () => {
    const refusal = problem(429, 'too-many-requests', { params: { seconds: 30, minutes: 0 } })
    fakeServer({ 'GET /me': { ...refusal, headers: { 'Retry-After': '30' } } })
    expect((await failure(dataOf(client.GET('/me')))).retryAfter).toBe(30)
  })
})

describe('rules of the forms', () => {
  it('R-BOOK-2: description at least 200 characters, counted as the server counts', () => {
    const described = (text: string) => check('BookForm', 'description', text)
    expect(described('')).toBe('Description is required.')
    expect(described('x'.repeat(199))).toBe('Description must be at least 200 characters.')
    expect(described('x'.repeat(200))).toBeNull()
    expect(described('📚'.repeat(199))).toBe('Description must be at least 200 characters.')
    expect(described(`${' '.repeat(200)}x`)).toBe('Description must be at least 200 characters.')
  })

  it('R-BOOK-2: the photo is a web address, the number of books at least 1, the status one of two', () => {
    expect(check('BookForm', 'photoURL', 'not an address')).toContain('web address')
    expect(check('BookForm', 'photoURL', 'javascript:alert(1)')).toContain('web address')
    expect(check('BookForm', 'photoURL', 'https://pictures.test/a.jpg')).toBeNull()
    expect(check('BookForm', 'noOfBooks', 0)).toContain('whole number')
    expect(check('BookForm', 'noOfBooks', 1.5)).toContain('whole number')
    expect(check('BookForm', 'noOfBooks', 1)).toBeNull()
    expect(check('BookForm', 'status', 'Lost')).toContain('choices')
  })

  it('gives one rule per field', () => {
    expect(Object.keys(validators('Registration'))).toEqual(Object.keys(forms.Registration))
  })
})
