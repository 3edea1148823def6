import { CloseButton, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { Search } from 'lucide-react'
import { useRef, useState, type KeyboardEvent } from 'react'
import { NavigationType, useLocation, useNavigation, useNavigationType, useSearchParams } from 'react-router'
import { focusFirstResult } from '../lib/focus'
import { t } from '../lib/messages'
import classes from './SearchBox.module.css'

const QUIET_MS = 150

/** What is searched for: the address holds it, so that reload, Back and a shared link find the same. */
export function useSearchText(): string {
  return useSearchParams()[0].get('q') ?? ''
}

/**
 * The search of a list: `/` focuses it, Escape and × clear it, Enter searches at once, arrow down goes to the first result;
 * the address follows after a short pause, and at once when the box is left: a pause that ended after a click on a link would
 * call its reader back.
 */
export function SearchBox({ label, placeholder }: { label: string; placeholder: string }) {
  const [params, setParams] = useSearchParams()
  const inAddress = params.get('q') ?? ''
  const cameFrom = useNavigationType()
  const { pathname } = useLocation()
  const next = useNavigation().location
  const leaving = next !== undefined && next.pathname !== pathname
  const [text, setText] = useState(inAddress)
  const input = useRef<HTMLInputElement>(null)

  // Back, Forward and links set the text; the box's own writing (a replacement) must not overtake the typing.
  const [seen, setSeen] = useState(inAddress)
  if (seen !== inAddress) {
    setSeen(inAddress)
    if (cameFrom !== NavigationType.Replace) setText(inAddress)
  }

  function write(value: string) {
    // Whoever has already chosen another page is not called back.
    if (leaving) return
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
    // While an input method composes a word, these keys are its own.
    if (event.nativeEvent.isComposing) return
    switch (event.key) {
      case 'ArrowDown':
        if (!focusFirstResult()) return
        break
      case 'Enter':
        searchNow(text)
        // The keyboard of a phone gives way to what was found.
        if (matchMedia('(pointer: coarse)').matches) event.currentTarget.blur()
        // A form around the box hears of it too.
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
