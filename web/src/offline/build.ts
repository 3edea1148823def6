/** Files of one build, written into the service worker by scripts/offline.mjs. */
export type Build = {
  /** Changes with every file of the build. */
  id: string
  /** File that the page of this build starts with. */
  entry: string
  /** Addresses of the files that a student's screens need. */
  files: readonly string[]
  /** Addresses of the files with the messages of each language. */
  words: Readonly<Record<string, readonly string[]>>
}

/** Message that asks the service worker to cache what this person needs offline. */
export type Keep = {
  language: string
  /** Id of the signed-in student; null for librarians and visitors. */
  student: number | null
}

/** Header of a cached response: the time of the response, in milliseconds. */
export const KEPT_AT = 'Library-Kept-At'
