import { basename } from 'node:path'
import type { FullResult, Reporter, TestCase, TestResult } from '@playwright/test/reporter'

const SHOWN = 20

const seconds = (milliseconds: number) => (milliseconds / 1000).toFixed(1).padStart(8)

const descending = (sums: ReadonlyMap<string, number>) => [...sums].toSorted(([, a], [, b]) => b - a)

/** Prints the slowest tests, and the worker-seconds of each file, including retries and fixtures. */
export default class Slowest implements Reporter {
  readonly #tests = new Map<string, number>()
  readonly #files = new Map<string, number>()

  onTestEnd(test: TestCase, { duration }: TestResult): void {
    const file = basename(test.location.file)
    const name = `${file}:${test.location.line} ${test.titlePath().slice(3).join(' › ')}`
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
      '',
    ]
    process.stdout.write(lines.join('\n'))
  }

  /** Leaves the progress to the other reporter. */
  printsToStdio(): boolean {
    return false
  }
}
