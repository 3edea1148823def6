import { useEffect } from 'react'

let library = ''
let screen: string | null = null

function show() {
  if (screen !== null) document.title = `${screen} · ${library || 'My Library'}`
}

/** What the library is called; empty while nobody has given it a name. */
export function setLibraryName(name: string): void {
  library = name
  show()
}

/** The words in the browser's tab, and what a screen reader says first about a page. */
export function useTitle(title: string): void {
  useEffect(() => {
    screen = title
    show()
  }, [title])
}
