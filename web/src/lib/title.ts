import { useEffect } from 'react'

let library = ''
let screen: string | null = null

function show() {
  if (screen !== null) document.title = `${screen} · ${library || 'My Library'}`
}

/** Sets the library's name; empty if none is configured. */
export function setLibraryName(name: string): void {
  library = name
  show()
}

/** Sets the title of the browser's tab, which screen readers announce first. */
export function useTitle(title: string): void {
  useEffect(() => {
    screen = title
    show()
  }, [title])
}
