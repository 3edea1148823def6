import { useState } from 'react'

export type Question<About> = ReturnType<typeof useQuestion<About>>

/** State of one question for all rows of a list; the row is kept while the dialog fades out. */
export function useQuestion<About>() {
  const [about, setAbout] = useState<About | null>(null)
  const [opened, setOpened] = useState(false)
  return {
    about,
    opened,
    ask: (next: About) => {
      setAbout(next)
      setOpened(true)
    },
    close: () => setOpened(false),
  }
}
