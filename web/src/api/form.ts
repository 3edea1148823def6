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
  /** Builds the request from the values. */
  inputOf: (values: Values) => Input
  /** Keeps the input until it is saved or discarded. */
  draft?: Draft<Values>
  /** Validates the values before sending. */
  validate?: UseFormInput<Values>['validate']
  /** Returns the text of the success notice. */
  done?: Notices<Input, Output>['done']
  onDone: (output: Output, values: Values) => void
}

/** Returns a form with one write. A refusal shows each error at its field, focuses the first one and keeps the input. */
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

  // The old error stays until the next answer: buttons must not move under a double click.
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
    /** Last failure. */
    error,
    /** Last failure, unless the fields show it. */
    failure: Object.keys(fieldsOf(error)).length > 0 ? null : error,
    onSubmit: form.onSubmit((values) => void submit(values), focusFirstError),
  }
}

/** Same as `useActionForm`, for a request body of the contract: with its rules, and the labels of its fields. */
export function useContractForm<F extends FormName, Values extends Record<FieldOf<F>, unknown>, Output>(
  name: F,
  options: Omit<Options<Values, Values, Output>, 'inputOf'>,
) {
  const rules = validators(name) as UseFormInput<Values>['validate']
  const it = useActionForm({ validate: rules, ...options, inputOf: (values: Values) => values })
  return {
    ...it,
    /** Props of an input: label, value and error. */
    field: (field: FieldOf<F> & string) => ({
      label: labelOf(name, field),
      required: true,
      withAsterisk: false,
      ...it.form.getInputProps(field),
    }),
  }
}
