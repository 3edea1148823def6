import { Button } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { chooseLanguage, currentLanguage, LANGUAGES, t } from '../lib/messages'
import { notify } from '../lib/notify'

/** The page mounts anew in the other language: the keyboard stays on the switch. */
let pressed = false

/** Leads to the other language, which it names in its own words. */
export function LanguageSwitch() {
  const button = useRef<HTMLButtonElement>(null)
  const other = currentLanguage() === 'en' ? 'hi' : 'en'

  useEffect(() => {
    if (pressed) button.current?.focus()
    pressed = false
  }, [])

  async function change() {
    pressed = true
    try {
      await chooseLanguage(other)
    } catch (error) {
      pressed = false
      notify.failure(t('common.languageFailed'), error)
    }
  }

  return (
    <Button
      ref={button}
      variant="subtle"
      color="gray"
      size="compact-md"
      h={36}
      lang={other}
      onClick={() => void change()}
    >
      {LANGUAGES[other]}
    </Button>
  )
}
