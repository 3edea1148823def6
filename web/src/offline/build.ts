/** Files of one build, written into the service worker by scripts/offline.mjs. */
export type Build = {
  /** Changes with every file of the build. */
  id: string
  /** File that the page of this build starts with. */
  entry: string
  /** Addresses of the files that a student's screens need. */
  files: readonly string[]
  /** The same for the messages of each language. */
  words: Readonly<Record<string, readonly string[]>>
}

/** Asks the service worker to keep what this person needs without a network. */
export type Keep = {
  language: string
  /** Id of the signed-in student; null for librarians and visitors. */
  student: number | null
}

/** Header of a kept answer: when the server gave it, in milliseconds. */
export const KEPT_AT = 'Library-Kept-At'
