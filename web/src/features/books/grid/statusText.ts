import { t } from '../../../lib/messages'

/** Translates a status; the API always uses English. */
export const statusText = (status: string | number): string =>
  t(status === 'Available' ? 'books.status.available' : 'books.status.notAvailable')
