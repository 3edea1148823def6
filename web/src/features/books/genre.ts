import { translate } from '../../lib/messages'

/** Returns the name of a genre in the page's language; a genre without a translation is shown in English, as stored. */
export const genreName = (genre: string): string => translate(`genre.${genre.toLowerCase()}`, {}, genre)
