import { basename } from 'node:path'
import type { FullConfig, FullResult, Reporter, Suite, TestCase, TestResult } from '@playwright/test/reporter'

const SHOWN = 20
const REASON_LINES = 12

const seconds = (milliseconds: number) => (milliseconds / 1000).toFixed(1).padStart(8)

const descending = (sums: ReadonlyMap<string, number>) => [...sums].toSorted(([, a], [, b]) => b - a)

const nameOf = (test: TestCase) =>
  `${basename(test.location.file)}:${test.location.line} ${test.titlePath().slice(3).join(' › ')}`

const ESCAPES = new RegExp(String.raw`\u001B\[[\d;]*m`, 'gu')

/** First lines of a failure, without colours. */
const reasonOf = (result: TestResult | undefined) =>
  (result?.error?.message ?? '')
    .replaceAll(ESCAPES, '')
    .split('\n')
    .slice(0, REASON_LINES)
    .map((line) => `          ${line}`)

/**
 * Prints the slowest tests, the worker-seconds of each file, including retries and fixtures, and last what failed or
 * passed only when repeated: the end of a long log is what remains to be read.
 */
export default class Slowest implements Reporter {
  #suite: Suite | undefined
  readonly #tests = new Map<string, number>()
  readonly #files = new Map<string, number>()

  onBegin(_config: FullConfig, suite: Suite): void {
    this.#suite = suite
  }

  onTestEnd(test: TestCase, { duration }: TestResult): void {
    const file = basename(test.location.file)
    const name = nameOf(test)
    this.#tests.set(name, (this.#tests.get(name) ?? 0) + duration)
    this.#files.set(file, (this.#files.get(file) ?? 0) + duration)
  }

  onEnd({ duration }: FullResult): void {
    if (this.#tests.size === 0) return
    const total = [...this.#files.values()].reduce((sum, file) => sum + file, 0)
    const lines = [
      '',
      'Slowest tests, in seconds:',
      ...descending(this.#tests)
        .slice(0, SHOWN)
        .map(([name, spent]) => `${seconds(spent)}  ${name}`),
      'Worker-seconds of each file:',
      ...descending(this.#files).map(([file, spent]) => `${seconds(spent)}  ${file}`),
      `${seconds(total)}  ${this.#tests.size} tests in ${(duration / 1000).toFixed(0)} seconds`,
      ...this.#told('flaky', 'Passed when repeated:'),
      ...this.#told('unexpected', 'Failed:'),
      '',
    ]
    process.stdout.write(lines.join('\n'))
  }

  /** Tests of one outcome, each with the reason of its first failure. */
  #told(outcome: ReturnType<TestCase['outcome']>, heading: string): string[] {
    const tests = this.#suite?.allTests().filter((test) => test.outcome() === outcome) ?? []
    if (tests.length === 0) return []
    return [heading, ...tests.flatMap((test) => [`          ${nameOf(test)}`].concat(reasonOf(test.results[0])))]
  }

  /** Leaves the progress to the other reporter. */
  printsToStdio(): boolean {
    return false
  }
}
