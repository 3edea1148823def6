import { translate } from '../../lib/messages'

/** Returns the name of a genre in the page's language; a genre without one is shown as it is stored, in English. */
export const genreName = (genre: string): string => translate(`genre.${genre.toLowerCase()}`, {}, genre)
