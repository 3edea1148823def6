import type { ChangeEvent, CompositionEvent } from 'react'

/**
 * Puts the cursor into the first field on the screen that has an error; fields are marked with `data-field`. An error at a
 * place of a list (`barcodes[2]`) belongs to the list.
 */
export function focusFirstError(errors: Readonly<Record<string, unknown>>): void {
  const wrong = new Set(Object.keys(errors).flatMap((name) => [name, name.replace(/\[.*/, '')]))
  // The errors are rendered first, so that the field is announced together with its message.
  setTimeout(() => {
    const field = [...document.querySelectorAll<HTMLElement>('[data-field]')].find(({ dataset }) =>
      wrong.has(dataset['field'] ?? ''),
    )
    const control = field?.matches('input, textarea, select')
      ? field
      : field?.querySelector<HTMLElement>('input, textarea, select')
    control?.focus()
  })
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
