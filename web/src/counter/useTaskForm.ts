import { useForm, type UseFormInput } from '@mantine/form'
import { useEffect } from 'react'
import { focusFirstError } from '../lib/focus'
import { showAtFields } from '../lib/forms'
import { fieldsOf, messageOf } from '../lib/problem'
import type { Task } from './tasks'
import type { KeptTask } from './useKeptTask'

type Options<Values> = {
  initial: Values
  /** Validates the values before sending. */
  validate: UseFormInput<Values>['validate']
  /** Builds the task from the values, with the label that names it while it waits. */
  taskOf: (values: Values) => { label: string; task: Task }
}

/** Returns a form with one task. A refusal shows each error at its field, focuses the first one and keeps the input. */
export function useTaskForm<Values extends Record<string, unknown>>(kept: KeptTask, options: Options<Values>) {
  const { initial, validate, taskOf } = options
  const { refused, send } = kept
  const form = useForm<Values>({ mode: 'controlled', initialValues: initial, validate })
  const { setErrors } = form
  useEffect(() => {
    if (refused) showAtFields(refused, setErrors)
  }, [refused, setErrors])
  return {
    form,
    /** Reason of the last refusal, unless the fields show it. */
    failure: refused ? failureOf(refused, form.values) : null,
    onSubmit: form.onSubmit((values) => {
      const { label, task } = taskOf(values)
      send(label, task)
    }, focusFirstError),
  }
}

/** Returns the reason of a refusal that no field of the form shows. */
function failureOf(error: unknown, values: Record<string, unknown>): string | null {
  const fields = Object.entries(fieldsOf(error))
  if (fields.length === 0) return messageOf(error)
  return fields.find(([field]) => !(field in values))?.[1] ?? null
}
