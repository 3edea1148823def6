import { queryOptions } from '@tanstack/react-query'
import { action } from './action'
import { client, dataOf } from './client'
import { fileBody, type Upload } from './imports'
import { keys } from './keys'

const changes = () => [keys.people, keys.changes]

/** Address of the user's own photo within this page; null without one. The picture is fetched once and kept until the page is left. */
export const myPhotoQuery = queryOptions({
  queryKey: [...keys.me, 'photo'],
  queryFn: async ({ signal }) => {
    const picture = await dataOf<Blob | undefined>(client.GET('/me/photo', { signal, parseAs: 'blob' }))
    return picture ? URL.createObjectURL(picture) : null
  },
  staleTime: Infinity,
  gcTime: Infinity,
})

/** Stores a person's photo in place of an earlier one. */
export const uploadPhoto = action({
  name: 'uploadPhoto',
  send: ({ uid, file }: Upload & { uid: number }, call) =>
    dataOf(client.PUT('/people/{id}/photo', { params: { path: { id: uid } }, ...fileBody(file, call) })),
  changes,
  fault: 'The photo could not be saved',
  expected: ['invalid', 'payload-too-large', 'more-capable'],
})

export const removePhoto = action({
  name: 'removePhoto',
  send: (uid: number, call) => dataOf(client.DELETE('/people/{id}/photo', { params: { path: { id: uid } }, ...call })),
  changes,
  fault: 'The photo could not be removed',
  expected: ['more-capable'],
})

type PhotosImport = Upload & { replace: boolean }

/** Previews an import of photos; nothing is stored. */
export const checkPhotos = action({
  name: 'checkPhotos',
  send: ({ file, name, replace }: PhotosImport, call) =>
    dataOf(client.POST('/imports/photos/check', { params: { query: { name, replace } }, ...fileBody(file, call) })),
})

/** Starts an import of photos, which the server runs in the background. */
export const importPhotos = action({
  name: 'importPhotos',
  send: ({ file, name, replace }: PhotosImport, call) =>
    dataOf(client.POST('/imports/photos', { params: { query: { name, replace } }, ...fileBody(file, call) })),
  changes: () => [keys.imports],
  fault: 'The photos could not be imported',
})
