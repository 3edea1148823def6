import { useForm, type UseFormInput } from '@mantine/form'
import { useState } from 'react'
import type { Draft } from '../lib/drafts'
import { focusFirstError } from '../lib/focus'
import { showAtFields } from '../lib/forms'
import { fieldsOf } from '../lib/problem'
import { useAction, type Action, type Notices } from './action'
import { labelOf, validators, type FieldOf, type FormName } from './validate'

type Options<Values, Input, Output> = {
  action: Action<Input, Output>
  initial: Values
  /** What is sent. */
  inputOf: (values: Values) => Input
  /** Where what is typed is kept until it is saved or given up. */
  draft?: Draft<Values>
  /** What is wrong before anything is sent. */
  validate?: UseFormInput<Values>['validate']
  /** What the notice says. */
  done?: Notices<Input, Output>['done']
  onDone: (output: Output, values: Values) => void
}

/** A form that does one write: what is refused stands at its fields, with the cursor in the first, and what is typed stays. */
export function useActionForm<Values extends Record<string, unknown>, Input, Output>(
  options: Options<Values, Input, Output>,
) {
  const { action, initial, inputOf, draft, validate, done, onDone } = options
  const write = useAction(action, { done })
  const form = useForm<Values>({
    mode: 'controlled',
    initialValues: draft?.read() ?? initial,
    validate,
    onValuesChange: (values) => draft?.write(values),
  })

  // What was wrong stays until the next answer: the buttons must not move under a finger that presses twice.
  const [error, setError] = useState<unknown>(null)
  if (!write.pending && error !== write.error) setError(write.error)

  async function submit(values: Values) {
    if (write.pending) return
    const outcome = await write.run(inputOf(values))
    if (outcome.ok) {
      draft?.remove()
      onDone(outcome.output, values)
    } else showAtFields(outcome.error, form.setErrors)
  }

  return {
    form,
    pending: write.pending,
    /** Why it was not done. */
    error,
    /** The same, unless the fields say so. */
    failure: Object.keys(fieldsOf(error)).length > 0 ? null : error,
    onSubmit: form.onSubmit((values) => void submit(values), focusFirstError),
  }
}

/** The same for a request body as the server's document states it: its rules, and the labels of its fields. */
export function useContractForm<F extends FormName, Values extends Record<FieldOf<F>, unknown>, Output>(
  name: F,
  options: Omit<Options<Values, Values, Output>, 'inputOf'>,
) {
  const rules = validators(name) as UseFormInput<Values>['validate']
  const it = useActionForm({ validate: rules, ...options, inputOf: (values: Values) => values })
  return {
    ...it,
    /** What an input takes: its label, value and error. */
    field: (field: FieldOf<F> & string) => ({
      label: labelOf(name, field),
      required: true,
      withAsterisk: false,
      ...it.form.getInputProps(field),
    }),
  }
}
