import type { ChangeEvent, CompositionEvent } from 'react'
import { focusFirstError } from './focus'
import { fieldsOf } from './problem'

/** Shows the server's field errors and focuses the first; returns false if there are none. */
export function showAtFields(error: unknown, show: (fields: Record<string, string>) => void): boolean {
  const fields = fieldsOf(error)
  show(fields)
  focusFirstError(fields)
  return Object.keys(fields).length > 0
}

/**
 * Lower-cases an input while typing without moving the caret. Text of an input method (phones compose every word) is
 * left alone until it is complete.
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
