import { TextInput } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { NavigationType, useNavigationType, useSearchParams } from 'react-router'
import { SearchIcon } from './icons'
import classes from './SearchBox.module.css'

const QUIET_MS = 150

/** What is searched for: the address holds it, so that reload, Back and a shared link find the same. */
export function useSearchText(): string {
  return useSearchParams()[0].get('q') ?? ''
}

/** The search of a list: `/` focuses it, Escape clears it, arrow down goes to the first book found, the address follows after a short pause. */
export function SearchBox({ label, placeholder }: { label: string; placeholder: string }) {
  const [params, setParams] = useSearchParams()
  const inAddress = params.get('q') ?? ''
  const cameFrom = useNavigationType()
  const [text, setText] = useState(inAddress)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  // Back, Forward and links set the text; the box's own writing (a replacement) must not overtake the typing.
  const [seen, setSeen] = useState(inAddress)
  if (seen !== inAddress) {
    setSeen(inAddress)
    if (cameFrom !== NavigationType.Replace) setText(inAddress)
  }

  useEffect(() => () => clearTimeout(timer.current), [])

  function write(value: string) {
    setParams(
      (before) => {
        const after = new URLSearchParams(before)
        if (value.trim() === '') after.delete('q')
        else after.set('q', value.trim())
        // Another search begins at its first page.
        after.delete('cursor')
        return after
      },
      { replace: true },
    )
  }

  function change(value: string) {
    setText(value)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => write(value), QUIET_MS)
  }

  return (
    <div role="search" className={classes.search}>
      <TextInput
        type="search"
        aria-label={label}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        enterKeyHint="search"
        maxLength={200}
        value={text}
        leftSection={<SearchIcon />}
        rightSection={<kbd className={classes.key}>/</kbd>}
        rightSectionPointerEvents="none"
        classNames={{ input: classes.input }}
        onChange={(event) => change(event.currentTarget.value)}
        onKeyDown={(event) => {
          const first = event.key === 'ArrowDown' && document.querySelector<HTMLElement>('[data-result]')
          if (first) {
            event.preventDefault()
            first.focus()
          }
          if (event.key !== 'Escape') return
          event.preventDefault()
          clearTimeout(timer.current)
          setText('')
          write('')
        }}
      />
    </div>
  )
}
