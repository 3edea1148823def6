/** Offers a text as a download. */
export function saveFile(name: string, text: string) {
  // A spreadsheet takes UTF-8 for another encoding without the mark.
  const url = URL.createObjectURL(new Blob(['\ufeff', text], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
