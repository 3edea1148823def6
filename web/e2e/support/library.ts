import { spawn, spawnSync, type ChildProcess, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { AdminLoan, BookDetail, BookForm, Loan, Registration, Review, ReviewForm, User } from '../../src/api/types'
import { programPath } from './needs'
import { ZONE } from './zone'

export const DEMO_PASSWORD = 'demo-library'
export const LIBRARIAN = 'librarian@demo.library'
export const STUDENT = 'student@demo.library'
/** Password of every account created by a test. */
export const PASSWORD = 'four plain words here'

export type Answer<T> = { status: number; body: T; headers: Headers }

let made = 0
/** Returns a number that is unique in this worker. */
export const nextNumber = (): number => (made += 1)

/** A signed-in person, or with an empty cookie a visitor, who calls the API directly. */
export class Person {
  readonly #library: Library
  readonly #cookie: string
  readonly user: User & { email: string }
  readonly password: string

  constructor(library: Library, user: User & { email: string }, password: string, cookie: string) {
    this.#library = library
    this.user = user
    this.password = password
    this.#cookie = cookie
  }

  call<T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer<T>> {
    return this.#library.call<T>(method, path, body, { ...headers, Cookie: this.#cookie })
  }

  /** Same as `call`, but any failure is a fault of the test. */
  async ask<T>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<T> {
    return succeeded(await this.call<T>(method, path, body, headers), `${method} ${path}`)
  }

  borrow = (bookId: number) => this.ask<Loan>('POST', `/books/${bookId}/loans`)
  loans = async () => (await this.ask<{ loans: Loan[] }>('GET', '/me/loans')).loans
  allLoans = async (q: string) =>
    (await this.ask<{ loans: AdminLoan[] }>('GET', `/loans?q=${encodeURIComponent(q)}`)).loans
  review = (bookId: number, review: ReviewForm) => this.ask<Review>('POST', `/books/${bookId}/reviews`, review)

  /** State of this person's browser, right after signing in. */
  storageState() {
    const [name = '', value = ''] = this.#cookie.split('=')
    return {
      cookies: [
        {
          name,
          value,
          domain: 'localhost',
          path: '/',
          expires: -1,
          httpOnly: true,
          secure: false,
          sameSite: 'Strict' as const,
        },
      ],
      origins: [
        { origin: this.#library.origin, localStorage: [{ name: 'userRole', value: this.user.role as string }] },
      ],
    }
  }
}

function succeeded<T>(answer: Answer<T>, what: string): T {
  if (answer.status >= 300) throw new Error(`${what} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** Servers to stop when a run is aborted. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const program of running) program.kill('SIGKILL')
})

const START_MS = 10_000

/** Reads from the log where the server listens: for people, and for metrics. */
function addressesOf(
  program: ChildProcessByStdio<null, null, Readable>,
  unmade: boolean,
): Promise<{ origin: string; metrics: string; setup: string }> {
  return new Promise((resolve, reject) => {
    let log = ''
    const fail = (why: string) => reject(new Error(`The server ${why}:\n${log}`))
    const timer = setTimeout(() => fail('did not say that it is open'), START_MS)
    program.once('error', ({ message }) => fail(`did not start (${message})`))
    program.once('exit', (code) => fail(`ended with ${code}`))
    // Reads the log to the end: a full pipe would block the server.
    program.stderr.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-20_000)
      // Its public address may be another.
      const opened = log.split('\n').find((line) => line.includes('is open at'))
      const port = /"address":"127\.0\.0\.1:(\d+)"/.exec(opened ?? '')?.[1]
      const origin = port === undefined ? undefined : `http://localhost:${port}`
      const metrics = /metrics are at (http:[^"]+)/.exec(log)?.[1]
      const setup = /open (http:\/\/\S+\/library\/setup#[\w-]+)/.exec(log)?.[1] ?? ''
      if (origin === undefined || metrics === undefined || (unmade && setup === '')) return
      clearTimeout(timer)
      resolve({ origin, metrics, setup })
    })
  })
}

export type Kind = 'demo' | 'empty' | 'long' | 'unmade'

/** Books of a `long` library: more than a browser keeps in memory. */
export const LONG = 720

/** A running server with its own database. */
export class Library {
  readonly #process: ChildProcess
  readonly #folder: string
  readonly origin: string
  /** Address of the metrics. */
  readonly metrics: string
  /** Printed address that makes the first librarian; only of an `unmade` library. */
  readonly setup: string
  readonly #password: string
  /** Sessions shared by tests. */
  readonly #kept = new Map<'librarian' | 'reader', Promise<Person>>()

  private constructor(
    kind: Kind,
    process: ChildProcess,
    folder: string,
    { origin, metrics, setup }: { origin: string; metrics: string; setup: string },
  ) {
    // The demo's password could not be chosen by a person.
    this.#password = kind === 'demo' ? DEMO_PASSWORD : PASSWORD
    this.#process = process
    this.#folder = folder
    this.origin = origin
    this.metrics = metrics
    this.setup = setup
  }

  /** Base path with the slash that relative addresses need. */
  get url(): string {
    return `${this.origin}/library/`
  }

  /** Starts the program on a free port: with the demo catalogue, with one librarian only, with many books, or without anyone. */
  static async start(kind: Kind, options: readonly string[] = []): Promise<Library> {
    const folder = await mkdtemp(join(tmpdir(), 'library-e2e-'))
    const database = `sqlite:${join(folder, 'library.db')}`
    const prepare = (args: readonly string[], input = '') => {
      const { status, stderr } = spawnSync(programPath(), [...args, '--database', database], {
        input,
        encoding: 'utf8',
      })
      if (status !== 0) throw new Error(`library ${args.slice(0, 2).join(' ')} failed: ${stderr}`)
    }
    if (kind === 'empty' || kind === 'long') {
      const who = ['--email', LIBRARIAN, '--name', 'Meera Iyer', '--password-stdin']
      prepare(['admin', 'create', ...who], `${PASSWORD}\n`)
    }
    if (kind === 'long') {
      const file = join(folder, 'books.csv')
      const rows = Array.from({ length: LONG }, (_, index) => `Volume ${String(index + 1).padStart(4, '0')},Ila Sen`)
      await writeFile(file, ['title,author', ...rows, ''].join('\n'))
      prepare(['import', 'books', file])
    }
    const program = spawn(
      programPath(),
      [
        'serve',
        ...(kind === 'demo' ? ['--demo'] : []),
        '--listen=127.0.0.1:0',
        '--metrics-listen=127.0.0.1:0',
        `--database=${database}`,
        `--time-zone=${ZONE}`,
        '--log-format=json',
        // A student here does as much as many in a library.
        '--student-changes=10000',
        ...options,
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    )
    running.add(program)
    const { origin, metrics, setup } = await addressesOf(program, kind === 'unmade')
    return new Library(kind, program, folder, { origin, metrics, setup })
  }

  /** Returns what `library doctor` finds wrong; empty if nothing is. */
  doctor(): string {
    const database = `sqlite:${join(this.#folder, 'library.db')}`
    const { status, stdout, stderr } = spawnSync(programPath(), ['doctor', '--database', database], {
      encoding: 'utf8',
    })
    return status === 0 ? '' : stdout + stderr
  }

  /** Kills the process, for tests of a lost server. */
  async stop(): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const ended = once(this.#process, 'exit')
      this.#process.kill('SIGKILL')
      await ended
    }
    running.delete(this.#process)
    await rm(this.#folder, { recursive: true, force: true })
  }

  async call<T>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> {
    const response = await fetch(`${this.origin}/library/api/v1${path}`, {
      method,
      headers: { Origin: this.origin, ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: (text ? JSON.parse(text) : null) as T, headers: response.headers }
  }

  async signIn(email: string, password: string): Promise<Person> {
    const answer = await this.call<User & { email: string }>('POST', '/auth/sign-in', { email, password })
    const user = succeeded(answer, `Signing in as ${email}`)
    const cookie = (answer.headers.get('Set-Cookie') ?? '').split(';')[0] ?? ''
    return new Person(this, user, password, cookie)
  }

  /** Signs the librarian in with a session that the test may end. */
  librarian = () => this.signIn(LIBRARIAN, this.#password)

  /** Returns the shared session, or a new one if a test has ended it or ten later ones have replaced it. */
  async #shared(whose: 'librarian' | 'reader', signIn: () => Promise<Person>): Promise<Person> {
    const known = await this.#kept.get(whose)
    if (known && (await known.call('GET', '/me')).status === 200) return known
    const another = known ? this.signIn(known.user.email, known.password) : signIn()
    this.#kept.set(whose, another)
    return another
  }

  /** Librarian who prepares data, and sits at the browser. */
  desk = () => this.#shared('librarian', this.librarian)

  /** A shared student, for tests that change nothing of theirs. */
  reader = () => this.#shared('reader', () => this.student())

  /** Returns the registration form of a new student. */
  registration(changes: Partial<Registration> = {}): Registration & { password: string } {
    const number = nextNumber()
    return {
      name: `Student ${number}`,
      email: `student-${number}@college.test`,
      password: PASSWORD,
      rollNumber: `me26-${number}`,
      department: 'Mechanical Engineering',
      batch: '2026',
      ...changes,
    }
  }

  /** Registers a new student and signs them in. */
  async student(changes: Partial<Registration> = {}): Promise<Person> {
    const registration = this.registration(changes)
    succeeded(await this.call('POST', '/auth/register', registration), 'Registering')
    return this.signIn(registration.email, registration.password)
  }

  /** Returns a book form with a unique title. */
  bookForm(changes: Partial<BookForm> = {}): BookForm {
    return {
      title: `A Field Guide to Bridges, Part ${nextNumber()}`,
      author: 'Nandini Rao',
      genre: 'Engineering',
      photoURL: `${this.origin}/library/covers/1.svg`,
      description: 'From log to cable stay, every kind of bridge, how it stands and why some fell. '.repeat(3).trim(),
      noOfBooks: 3,
      location: 'Main hall, shelf B2',
      status: 'Available',
      rating: 4,
      ...changes,
    }
  }

  addBook = async (changes: Partial<BookForm> = {}) =>
    (await this.desk()).ask<BookDetail>('POST', '/books', this.bookForm(changes))

  book = async (id: number) => (await this.desk()).ask<BookDetail>('GET', `/books/${id}`)

  /** Saves an edit over the book's current version, as another librarian would. */
  async updateBook(id: number, changes: Partial<BookForm>): Promise<void> {
    const desk = await this.desk()
    const { body, headers } = await desk.call<BookDetail>('GET', `/books/${id}`)
    const { title, author, genre, photoURL, description, noOfBooks, location, status } = body
    const form = { title, author, genre, photoURL, description, noOfBooks, location, status, ...changes }
    await desk.ask('PUT', `/books/${id}`, form, { 'If-Match': headers.get('ETag') ?? '' })
  }

  /** Lends a reader a new copy of a book, since other tests may have the rest. */
  async lend(reader: Person, book: number): Promise<Loan> {
    await (await this.desk()).ask('POST', `/books/${book}/copies`, { count: 1 })
    return reader.borrow(book)
  }

  deleteBook = async (id: number) => (await this.desk()).ask<null>('DELETE', `/books/${id}`)
  allLoans = async (q: string) => (await this.desk()).allLoans(q)
}
