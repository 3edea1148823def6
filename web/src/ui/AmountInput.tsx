import { TextInput, type TextInputProps } from '@mantine/core'
import type { RefAttributes } from 'react'
import { amountOf } from '../lib/amount'
import { t } from '../lib/messages'

/** A sum of money, as it is typed: nothing is left out or put right while somebody types. */
export function AmountInput(props: TextInputProps & RefAttributes<HTMLInputElement>) {
  return <TextInput inputMode="decimal" autoComplete="off" {...props} />
}

/** What is wrong with a typed amount, if anything; the server says how much may be. */
export function amountProblem(label: string, typed: string): string | null {
  if (typed.trim() === '') return t('field.required', { label })
  return amountOf(typed) === null ? t('field.notAmount') : null
}
