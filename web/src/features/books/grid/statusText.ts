import { t } from '../../../lib/messages'

/** A status in the reader's language; on the wire it is always English. */
export const statusText = (status: string | number): string =>
  t(status === 'Available' ? 'books.status.available' : 'books.status.notAvailable')
