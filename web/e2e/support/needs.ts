import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Path of the browser: CHROMIUM, else the first `chromium` on the PATH. */
export function browserPath(): string {
  const named = process.env['CHROMIUM']
  if (named) return named
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin']
  return folders.map((folder) => join(folder, 'chromium')).find(isProgram) ?? '/usr/bin/chromium'
}

/** Path of the program under test: LIBRARY_PROGRAM, else the release build. */
export function programPath(): string {
  return process.env['LIBRARY_PROGRAM'] || fileURLToPath(new URL('../../../target/release/library', import.meta.url))
}

/** Runs once before all tests, so that a missing program is one failure and not a hundred. */
export default function checkNeeds(): void {
  if (!isProgram(programPath())) {
    throw new Error(
      `The program ${programPath()} is missing. Build it with: make build, or name one with LIBRARY_PROGRAM=/path/to/it`,
    )
  }
  if (!isProgram(browserPath())) {
    throw new Error(`The browser ${browserPath()} is missing. Install Chromium, or name one with CHROMIUM=/path/to/it`)
  }
}
