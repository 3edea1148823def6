import type { ChangeEvent, CompositionEvent } from 'react'
import { focusFirstError } from './focus'
import { fieldsOf } from './problem'

/** Puts what the server refused at its fields, with the cursor in the first; false where it names none. */
export function showAtFields(error: unknown, show: (fields: Record<string, string>) => void): boolean {
  const fields = fieldsOf(error)
  show(fields)
  focusFirstError(fields)
  return Object.keys(fields).length > 0
}

/**
 * Lower-cases an input while it is typed into, without moving the caret. What an input method composes (a phone's keyboard
 * composes every word) is left alone until it is done.
 */
export function lowerCased(set: (text: string) => void) {
  function lower(input: HTMLInputElement) {
    const { selectionStart, selectionEnd, value } = input
    const lowered = value.toLowerCase()
    if (lowered.length === value.length && lowered !== value) {
      input.value = lowered
      input.setSelectionRange(selectionStart, selectionEnd)
    }
    set(lowered)
  }
  return {
    onChange: ({ currentTarget, nativeEvent }: ChangeEvent<HTMLInputElement>) => {
      if (nativeEvent instanceof InputEvent && nativeEvent.isComposing) set(currentTarget.value)
      else lower(currentTarget)
    },
    onCompositionEnd: ({ currentTarget }: CompositionEvent<HTMLInputElement>) => lower(currentTarget),
  }
}
