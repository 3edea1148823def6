import { Button, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { chooseLanguage, currentLanguage, LANGUAGES, t } from '../lib/messages'

/** True after a press: the page remounts in the other language, and the switch takes the focus again. */
let pressed = false

/** Switches to the other language, which is named in that language. */
export function LanguageSwitch() {
  const button = useRef<HTMLButtonElement>(null)
  const [failed, setFailed] = useState(false)
  const other = currentLanguage() === 'en' ? 'hi' : 'en'

  useEffect(() => {
    if (pressed) button.current?.focus()
    pressed = false
  }, [])

  async function change() {
    pressed = true
    setFailed(false)
    try {
      await chooseLanguage(other)
    } catch (error) {
      pressed = false
      console.error(error)
      setFailed(true)
    }
  }

  return (
    <>
      {failed && (
        <Text span size="sm" c="var(--mantine-color-error)" role="alert">
          {t('common.languageFailed')}
        </Text>
      )}
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
    </>
  )
}
