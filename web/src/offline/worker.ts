/**
 * The service worker: opens the screens offline, and shows students their own loans, notices and card as last known.
 *
 * Three kinds of requests are answered here, all others go to the network:
 *
 * - files named by their content: from the cache of this build, else from the network;
 * - the page: from the network; without a response in time, the page of this build;
 * - the calls of `CALLS`: from the network; without a response in time, the cached response, for students only.
 */
import { KEPT_AT, type Build, type Keep } from './build'

declare const BUILD: Build
const build = BUILD

type Waiting = Event & { waitUntil: (work: Promise<unknown>) => void }
type FetchEvent = Waiting & {
  request: Request
  preloadResponse: Promise<Response | undefined>
  respondWith: (response: Promise<Response>) => void
}
type Route = { condition: { urlPattern: string }; source: { cacheName: string } }
type InstallEvent = Waiting & { addRoutes?: (routes: readonly Route[]) => Promise<void> }
type MessageEvent = Waiting & { data: Keep }
type Scope = {
  addEventListener: (<K extends keyof Events>(type: K, listener: (event: Events[K]) => void) => void) &
    ((type: string, listener: (event: Waiting) => void) => void)
  skipWaiting: () => Promise<void>
  clients: { claim: () => Promise<void> }
  registration: ServiceWorkerRegistration
}
type Events = { install: InstallEvent; activate: Waiting; fetch: FetchEvent; message: MessageEvent }

const worker = globalThis as unknown as Scope

const BASE = '/library/'
const COVERS = `${BASE}covers/`
const API = `${BASE}api/v1/`
const FILES = `files-${build.id}`
const PERSON = 'person'

/** Files without a hash in their name: always from the network. */
const UNNAMED: ReadonlySet<string> = new Set([`${BASE}start.js`, `${BASE}favicon.svg`, `${BASE}manifest.webmanifest`])

/** Time limit for the page on a slow line; then the cached page opens, which is outdated only after an update. */
const PAGE_MS = 2500
/** Time limit for a call: longer, because a cached response may be old. */
const CALL_MS = 10_000

/** Calls whose responses are cached. The session comes first, because it names the owner of the others. */
const SESSION = `${API}auth/session`
const LOANS = `${API}me/loans`
const CALLS: readonly string[] = [SESSION, `${API}config`, `${API}me`, LOANS, `${API}me/notices`]

worker.addEventListener('install', (event) => {
  event.waitUntil(install(event))
})

worker.addEventListener('activate', (event) => {
  event.waitUntil(activate())
})

worker.addEventListener('message', (event) => {
  event.waitUntil(keep(event.data))
})

worker.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname, search } = new URL(request.url)
  if (origin !== location.origin) return
  if (request.method !== 'GET') {
    // A sign-in or sign-out, even without a response, deletes what is cached of the previous person.
    if (pathname.startsWith(`${API}auth/`)) event.waitUntil(forget())
    return
  }
  if (request.mode === 'navigate') {
    // Pages that the server renders itself are not screens of this app.
    const isServers = [`${BASE}api/`, `${BASE}unsubscribe/`, `${BASE}confirm/`, `${BASE}calendar/`, COVERS].some(
      (start) => pathname.startsWith(start),
    )
    if (!isServers) event.respondWith(page(event))
  } else if (pathname.startsWith(`${BASE}static/`)) event.respondWith(file(request))
  else if (pathname.startsWith(COVERS)) event.respondWith(fetch(request).catch(() => cover(request)))
  else if (UNNAMED.has(pathname)) event.respondWith(unnamed(request))
  else if (search === '' && CALLS.includes(pathname)) event.respondWith(call(event, pathname))
})

/** Stores page and files of this build. They come from the browser's own cache, unless they were never loaded. */
async function install(event: InstallEvent): Promise<void> {
  const files = await caches.open(FILES)
  const [html] = await Promise.all([pageOfBuild(), files.addAll([...build.files, ...UNNAMED])])
  await files.put(BASE, html)
  // These routes serve files without starting this worker, which takes a slow phone 50 ms or more.
  await event.addRoutes?.([
    { condition: { urlPattern: `${BASE}static/*` }, source: { cacheName: FILES } },
    { condition: { urlPattern: `${COVERS}*` }, source: { cacheName: PERSON } },
  ])
  await worker.skipWaiting()
}

/**
 * Fetches the page. During an update another server may have another build for some minutes: this install then fails,
 * and the browser tries again later.
 */
async function pageOfBuild(): Promise<Response> {
  const response = await fetch(BASE, { cache: 'reload', credentials: 'omit' })
  const html = await response.text()
  if (!response.ok || !html.includes(build.entry)) throw new Error('The page is not of this build')
  return new Response(html, { headers: response.headers })
}

async function activate(): Promise<void> {
  const others = (await caches.keys()).filter((name) => name !== FILES && name !== PERSON)
  await Promise.all(others.map((name) => caches.delete(name)))
  // The page is requested while this worker starts.
  await worker.registration.navigationPreload?.enable()
  await worker.clients.claim()
}

async function file(request: Request): Promise<Response> {
  return (await keptFile(request.url)) ?? fetch(request)
}

async function keptFile(address: string): Promise<Response | undefined> {
  return (await caches.open(FILES)).match(address, { ignoreVary: true })
}

/** Answers files without a hash. The page waits for start.js, so a slow line must not block it. */
async function unnamed(request: Request): Promise<Response> {
  const network = fetch(request)
  return (await within(network, PAGE_MS)) ?? (await keptFile(request.url)) ?? network
}

async function page({ request, preloadResponse }: FetchEvent): Promise<Response> {
  const network = preloadResponse.then((early) => early ?? fetch(request))
  const inTime = await within(network, PAGE_MS)
  if (inTime && !isGateway(inTime)) return inTime
  return (await keptFile(BASE)) ?? network
}

/** Returns the response, or undefined if it fails or takes longer than this. */
function within(answer: Promise<Response>, milliseconds: number): Promise<Response | undefined> {
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, milliseconds))
  return Promise.race([answer.catch(() => undefined), late])
}

/** True for the response of a proxy whose server is down. */
const isGateway = ({ status }: Response): boolean => status >= 502 && status <= 504

/** Number of sign-ins and sign-outs so far: a response requested before the last one is not stored. */
let turn = 0

async function forget(): Promise<void> {
  turn += 1
  await caches.delete(PERSON)
}

async function call(event: FetchEvent, path: string): Promise<Response> {
  const network = ask(event.request, path)
  event.waitUntil(network.catch(() => undefined))
  const inTime = await within(network, CALL_MS)
  if (inTime && !isGateway(inTime)) return inTime
  const kept = await (await caches.open(PERSON)).match(path)
  return kept ?? network
}

/** Calls the server, and caches the response. */
async function ask(request: Request, path: string): Promise<Response> {
  const mine = turn
  const response = await fetch(request)
  if (response.status === 401) await forget()
  else if (response.ok) await store(path, response.clone(), mine)
  return response
}

async function store(path: string, response: Response, mine: number): Promise<void> {
  const text = await response.text()
  if (path === SESSION) {
    const owner = ownerOf(text)
    if (owner === null || owner !== (await keptOwner())) {
      if (mine !== turn) return
      await forget()
      mine = turn
      if (owner === null) return
    }
  } else if ((await keptOwner()) === null) return
  const kept = new Response(text, { headers: { 'Content-Type': 'application/json', [KEPT_AT]: String(Date.now()) } })
  if (mine !== turn) return
  const person = await caches.open(PERSON)
  await person.put(path, kept)
  if (path === LOANS) await storeCovers(person, text)
  if (mine !== turn) await caches.delete(PERSON)
}

/** Caches the covers of the student's loans; a missing one does not matter. */
async function storeCovers(person: Cache, answer: string): Promise<void> {
  const { loans } = JSON.parse(answer) as { loans: readonly { bookId: number }[] }
  const wanted = new Set(loans.map(({ bookId }) => `${COVERS}${bookId}.svg`))
  const had = new Set(
    (await person.keys()).map(({ url }) => new URL(url).pathname).filter((path) => path.startsWith(COVERS)),
  )
  await Promise.all([...had].filter((path) => !wanted.has(path)).map((path) => person.delete(path)))
  await Promise.allSettled([...wanted].filter((path) => !had.has(path)).map((path) => person.add(path)))
}

async function cover(request: Request): Promise<Response> {
  return (await (await caches.open(PERSON)).match(request, { ignoreVary: true })) ?? Response.error()
}

/** Returns the uid of a signed-in student. Null for visitors and librarians: the worker caches nothing for them. */
function ownerOf(session: string): number | null {
  const { user, secondFactorMissing } = JSON.parse(session) as {
    user: { uid: number; role: string } | null
    secondFactorMissing?: boolean
  }
  return user?.role === 'student' && secondFactorMissing !== true ? user.uid : null
}

async function keptOwner(): Promise<number | null> {
  const session = await (await caches.open(PERSON)).match(SESSION)
  return session ? ownerOf(await session.text()) : null
}

/** Caches what the page loaded before this worker started. */
async function keep({ language, student }: Keep): Promise<void> {
  const files = await caches.open(FILES)
  await forEachMissing(files, build.words[language] ?? [], (path) => files.add(path))
  if (student !== (await keptOwner())) await forget()
  if (student === null) return
  const headers = { 'Library-Background': '1' }
  await forEachMissing(await caches.open(PERSON), CALLS, (path) => ask(new Request(path, { headers }), path))
}

/** Calls `work`, in order, for every address that is missing from the cache. */
async function forEachMissing(cache: Cache, paths: readonly string[], work: (path: string) => Promise<unknown>) {
  for (const path of paths) {
    // oxlint-disable-next-line no-await-in-loop -- the session is known before the calls that are kept for it
    if (!(await cache.match(path, { ignoreVary: true }))) await work(path)
  }
}
