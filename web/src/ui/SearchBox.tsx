import { CloseButton, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { Search } from 'lucide-react'
import { useRef, useState, type KeyboardEvent } from 'react'
import { NavigationType, useLocation, useNavigation, useNavigationType, useSearchParams } from 'react-router'
import { focusFirstResult } from '../lib/focus'
import { t } from '../lib/messages'
import { useParamsNow } from '../lib/paramsNow'
import classes from './SearchBox.module.css'

const QUIET_MS = 150

/** Returns the search text from the address, so that reload, Back and a shared link show the same results. */
export function useSearchText(): string {
  return useSearchParams()[0].get('q') ?? ''
}

/**
 * Search of a list: `/` focuses it, Escape and × clear it, Enter searches at once, the down arrow goes to the first
 * result. The address follows after a short pause, and at once on blur: a later change would undo the navigation of a
 * clicked link.
 */
export function SearchBox({ label, placeholder }: { label: string; placeholder: string }) {
  const [params, setParams] = useSearchParams()
  const inAddress = params.get('q') ?? ''
  const paramsNow = useParamsNow()
  const cameFrom = useNavigationType()
  const { pathname } = useLocation()
  const next = useNavigation().location
  const leaving = next !== undefined && next.pathname !== pathname
  const [text, setText] = useState(inAddress)
  const input = useRef<HTMLInputElement>(null)

  // Back, Forward and links set the text. The box's own changes of the address do not, so that they cannot overtake
  // typing.
  const [seen, setSeen] = useState(inAddress)
  if (seen !== inAddress) {
    setSeen(inAddress)
    if (cameFrom !== NavigationType.Replace) setText(inAddress)
  }

  function write(value: string) {
    // The reader is leaving for another page; a change of the address would undo that navigation.
    if (leaving) return
    const after = paramsNow()
    if (value.trim() === '') after.delete('q')
    else after.set('q', value.trim())
    // A new search begins at its first page.
    after.delete('cursor')
    setParams(after, { replace: true })
  }

  const writeSoon = useDebouncedCallback(write, QUIET_MS)

  function change(value: string) {
    setText(value)
    writeSoon(value)
  }

  function searchNow(value: string) {
    writeSoon.cancel()
    setText(value)
    write(value)
  }

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
    // These keys belong to the input method while it composes a word.
    if (event.nativeEvent.isComposing) return
    switch (event.key) {
      case 'ArrowDown':
        if (!focusFirstResult()) return
        break
      case 'Enter':
        searchNow(text)
        // Hides a phone's keyboard, which covers the results.
        if (matchMedia('(pointer: coarse)').matches) event.currentTarget.blur()
        // The event still reaches an enclosing form.
        return
      case 'Escape':
        searchNow('')
        break
      default:
        return
    }
    event.preventDefault()
  }

  return (
    <div role="search" className={classes.search}>
      <TextInput
        ref={input}
        type="search"
        aria-label={label}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        enterKeyHint="search"
        maxLength={200}
        value={text}
        leftSection={<Search />}
        rightSection={
          text === '' ? (
            <kbd className={classes.key}>/</kbd>
          ) : (
            <CloseButton
              size="lg"
              aria-label={t('common.clearSearch')}
              onClick={() => {
                searchNow('')
                input.current?.focus()
              }}
            />
          )
        }
        rightSectionPointerEvents={text === '' ? 'none' : 'all'}
        classNames={{ input: classes.input }}
        onChange={(event) => change(event.currentTarget.value)}
        onBlur={() => writeSoon.flush()}
        onKeyDown={onKeyDown}
      />
    </div>
  )
}
