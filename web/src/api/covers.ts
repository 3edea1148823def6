import { action } from './action'
import { client, dataOf } from './client'
import { fileBody, type Upload } from './imports'

/** Uploads a picture for a cover; the picture's address is saved with the book. */
export const uploadCover = action({
  name: 'uploadCover',
  send: ({ file }: Upload, call) => dataOf(client.POST('/covers', fileBody(file, call))),
  fault: 'The picture could not be uploaded',
  expected: ['invalid', 'payload-too-large'],
})
