import { TextInput, type TextInputProps } from '@mantine/core'
import type { RefAttributes } from 'react'
import { amountOf } from '../lib/amount'
import { t } from '../lib/messages'

/** Input of an amount; nothing is removed or corrected while typing. */
export function AmountInput(props: TextInputProps & RefAttributes<HTMLInputElement>) {
  return <TextInput inputMode="decimal" autoComplete="off" {...props} />
}

/** Returns the error of a typed amount, if any; the server checks its limits. */
export function amountProblem(label: string, typed: string): string | null {
  if (typed.trim() === '') return t('field.required', { label })
  return amountOf(typed) === null ? t('field.notAmount') : null
}
