import { expect, type BrowserContext } from '@playwright/test'

/** Collects what no page may cause unnoticed: console errors, exceptions, policy violations, calls to foreign hosts. */
export class Watch {
  readonly #origin: string
  readonly #seen: string[] = []
  readonly #excused: RegExp[] = []

  constructor(origin: string) {
    this.#origin = origin
  }

  async attach(context: BrowserContext): Promise<void> {
    context.on('console', (message) => {
      if (message.type() === 'error') this.#seen.push(`console: ${message.text()} (${message.location().url})`)
    })
    context.on('weberror', (fault) => {
      const error = fault.error()
      this.#seen.push(`fault: ${error.stack ?? error.message}`)
    })
    context.on('request', (request) => {
      const url = request.url()
      if (!url.startsWith(`${this.#origin}/`) && !/^(blob|data):/.test(url)) this.#seen.push(`foreign host: ${url}`)
    })
    await context.addInitScript(() => {
      addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
        console.error(`policy: ${violatedDirective} blocked ${blockedURI}`)
      })
    })
  }

  /** The browser logs each refused or failed request; a test that provokes one declares it here. */
  refuses(...statuses: number[]): void {
    for (const status of statuses) this.#excused.push(new RegExp(`Failed to load resource: .*status of ${status}`))
  }

  excuse(...patterns: RegExp[]): void {
    this.#excused.push(...patterns)
  }

  /** Waits for this console message and excuses it. */
  async logged(pattern: RegExp): Promise<void> {
    this.#excused.push(pattern)
    await expect.poll(() => this.#seen.some((line) => pattern.test(line)), `the console says ${pattern}`).toBe(true)
  }

  /** Runs one state of a screen with its own excuses. */
  async inState(state: string, excused: readonly RegExp[], run: () => Promise<void>): Promise<void> {
    const before = this.#seen.length
    await run()
    const wrong = this.#seen.splice(before).filter((line) => !excused.some((pattern) => pattern.test(line)))
    expect.soft(wrong, `errors that ${state} does not excuse`).toEqual([])
  }

  /** Everything seen and not excused. */
  get faults(): string[] {
    return this.#seen.filter((line) => !this.#excused.some((pattern) => pattern.test(line)))
  }
}
