/** Hour at which a worker's library begins its day's tests: a run of several hours then meets no midnight. */
const HOUR = 9

/** Returns the name of the time zone in which it is about `HOUR` o'clock at a time, milliseconds since 1970. */
export function morningZone(now: number): string {
  const offset = ((HOUR - new Date(now).getUTCHours() + 36) % 24) - 12
  // The signs of these names are those of POSIX: Etc/GMT-3 is three hours ahead of Greenwich.
  return `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`
}

/** Time zone of this worker's libraries. */
export const ZONE = morningZone(Date.now())
