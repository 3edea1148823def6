import { defineConfig } from '@playwright/test'
import { browserPath } from './e2e/support/needs'

/** A whole number from the environment. */
const count = (name: string, otherwise: number): number => Number(process.env[name] || otherwise)

/** What a person sees: the built program with its own screens, in a real browser. */
export default defineConfig({
  testDir: 'e2e',
  globalSetup: './e2e/support/needs.ts',
  fullyParallel: true,
  workers: count('LIBRARY_E2E_WORKERS', 2),
  repeatEach: count('LIBRARY_E2E_REPEAT', 1),
  forbidOnly: true,
  // Two browsers on two busy processors now and then draw later than a test waits. CI retries such a test once and reports it
  // as flaky; the nightly run (`npm run e2e:nightly`) has no retries, so that a race turns it red.
  retries: process.env['CI'] ? 1 : 0,
  timeout: 60_000,
  expect: { timeout: 7_000 },
  reporter: [[process.env['CI'] ? 'dot' : 'list'], ['./e2e/support/slowest.ts']],
  use: {
    actionTimeout: 7_000,
    viewport: { width: 1440, height: 900 },
    locale: 'en-IN',
    // Far from the library's own zone, so that a day counted by the browser's clock would show (R-LOAN-8).
    timezoneId: 'Pacific/Honolulu',
    // A test answers requests itself, which a worker would send; e2e/offline.spec.ts has one.
    serviceWorkers: 'block',
    screenshot: 'only-on-failure',
    // Transitions off, so that no test waits for one; the tests of motion turn it on.
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: {
      executablePath: browserPath(),
      args: [
        '--no-sandbox',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--disable-quic',
        '--no-first-run',
      ],
    },
  },
})
