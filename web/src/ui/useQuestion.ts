import { useState } from 'react'

export type Question<About> = ReturnType<typeof useQuestion<About>>

/** One question for all rows of a list. It remembers its row while it fades out. */
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
