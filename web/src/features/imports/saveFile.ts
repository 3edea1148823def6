/** Offers a text as a download. */
export function saveFile(name: string, text: string) {
  // Without the byte order mark, spreadsheets do not recognise UTF-8.
  const url = URL.createObjectURL(new Blob(['\ufeff', text], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
