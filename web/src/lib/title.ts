import { useEffect } from 'react'

/** The words in the browser's tab, and what a screen reader says first about a page. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · My Library`
  }, [title])
}
