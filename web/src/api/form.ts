import { useForm, type UseFormInput } from '@mantine/form'
import type { Draft } from '../lib/drafts'
import { focusFirstError } from '../lib/forms'
import { ProblemError } from '../lib/problem'
import { useAction, type Action } from './action'
import { labelOf, validators, type FieldOf, type FormName } from './validate'

type Options<Values, Output> = {
  action: Action<Values, Output>
  initial: Values
  /** Where what is typed is kept until it is saved or given up. */
  draft?: Draft<Values>
  /** Where the screen asks for more than the server's rules. */
  validate?: UseFormInput<Values>['validate']
  /** What the notice says. */
  done?: () => string
  onDone: (output: Output, values: Values) => void
}

/**
 * A form that does one write: the rules and labels of the server's document, its refusals at their fields with the cursor in
 * the first, and the draft of what is typed.
 */
export function useActionForm<F extends FormName, Values extends Record<FieldOf<F>, unknown>, Output>(
  name: F,
  { action, initial, draft, validate, done, onDone }: Options<Values, Output>,
) {
  const write = useAction(action, done ? { done } : {})
  const form = useForm<Values>({
    mode: 'controlled',
    initialValues: draft?.read() ?? initial,
    validate: validate ?? (validators(name) as UseFormInput<Values>['validate']),
    onValuesChange: (values) => draft?.write(values),
  })

  async function submit(values: Values) {
    const outcome = await write.run(values)
    if (outcome.ok) {
      draft?.remove()
      onDone(outcome.output, values)
    } else if (outcome.error instanceof ProblemError) {
      form.setErrors(outcome.error.fields)
      focusFirstError(outcome.error.fields)
    }
  }

  const atFields = write.error instanceof ProblemError && Object.keys(write.error.fields).length > 0
  return {
    form,
    pending: write.pending,
    /** Why it was not done. */
    error: write.error,
    /** The same, unless the fields say so. */
    failure: atFields ? null : write.error,
    onSubmit: form.onSubmit((values) => void submit(values), focusFirstError),
    /** What an input takes: label, value, error, and the name by which the cursor finds it. */
    field: (field: FieldOf<F> & string) => ({
      label: labelOf(name, field),
      required: true,
      withAsterisk: false,
      'data-field': field,
      ...form.getInputProps(field),
    }),
  }
}
