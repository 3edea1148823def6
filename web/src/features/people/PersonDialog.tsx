import { Fieldset, Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useActionForm } from '../../api/form'
import { useBatches } from '../../api/batches'
import { configQuery } from '../../api/config'
import { useOwner } from '../../api/draft'
import { addPerson, updatePerson } from '../../api/people'
import { rulesQuery } from '../../api/settings'
import type { Person, PersonEdit, PersonForm } from '../../api/types'
import { check, labelOf } from '../../api/validate'
import { draftOf } from '../../lib/drafts'
import { lowerCased } from '../../lib/forms'
import { t } from '../../lib/messages'
import { messageOf } from '../../lib/problem'
import { Dialog } from '../../ui/Dialog'
import { detailsOf, editOf, EMPTY, valuesOf, type PersonValues } from './values'
import { DialogEnd } from '../../ui/DialogEnd'

type PersonDialogProps = {
  /** Person to edit; without one, a person is added. */
  person?: Person
  /** Roll number of the new person, if known. */
  newRollNumber?: string | undefined
  onClose: () => void
  onDone?: (person: Person) => void
}

/** Form for the details of a person (R-PEOPLE-3). */
export function PersonDialog({ person, newRollNumber = '', onClose, onDone }: PersonDialogProps) {
  const config = useQuery(configQuery)
  const batches = useBatches()
  const categories = useQuery(rulesQuery).data?.document.categories.map(({ name }) => name) ?? []
  const before = person ? valuesOf(person) : { ...EMPTY, rollNumber: newRollNumber }
  // Escape closes the dialog and keeps the input for the next opening; Cancel drops it.
  const draft = draftOf(useOwner(), 'person', EMPTY)
  const shared = {
    initial: before,
    validate: {
      name: (name: string) => check('PersonForm', 'name', name),
      email: (email: string) => check('PersonForm', 'email', email),
      rollNumber: (rollNumber: string) => check('PersonForm', 'rollNumber', rollNumber),
      phone: (phone: string) => check('PersonForm', 'phone', phone),
      guardianEmail: (email: string) => check('PersonForm', 'guardianEmail', email),
      guardianPhone: (phone: string) => check('PersonForm', 'guardianPhone', phone),
      barred: {
        reason: (reason: string, { barred }: PersonValues) =>
          barred.until !== '' && reason.trim() === '' ? t('people.form.reasonMissing') : null,
        until: (until: string, { barred }: PersonValues) =>
          until === '' && barred.reason.trim() !== '' ? t('people.form.dayMissing') : null,
      },
    },
    onDone: (saved: Person) => {
      onClose()
      onDone?.(saved)
    },
  }
  const adding = useActionForm<PersonValues, PersonForm, Person>({
    action: addPerson,
    ...shared,
    ...(newRollNumber === '' && { draft }),
    inputOf: detailsOf,
    done: ({ name }) => t('people.form.added', { name }),
  })
  const editing = useActionForm<PersonValues, { uid: number; edit: PersonEdit }, Person>({
    action: updatePerson,
    ...shared,
    inputOf: (values) => ({ uid: person?.uid ?? 0, edit: editOf(before, values) }),
    done: ({ name }) => t('people.form.saved', { name }),
  })
  const { form, onSubmit, pending, failure } = person ? editing : adding
  type Labelled = 'name' | 'rollNumber' | 'email' | 'department' | 'batch' | 'phone' | 'guardianEmail' | 'guardianPhone'
  const label = (field: Labelled) => ({
    label: labelOf('PersonForm', field),
    ...form.getInputProps(field),
  })

  return (
    <Dialog
      onClose={onClose}
      title={person ? t('people.form.edit', { name: person.name }) : t('people.form.add')}
      size="lg"
    >
      <form noValidate onSubmit={onSubmit}>
        <Stack>
          <TextInput {...label('name')} required withAsterisk={false} autoComplete="off" data-autofocus />
          <TextInput
            {...label('rollNumber')}
            description={t('people.form.rollNumberHint')}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            {...lowerCased((text) => form.setFieldValue('rollNumber', text))}
          />
          <TextInput {...label('email')} description={t('people.form.emailHint')} type="email" autoComplete="off" />
          <TextInput {...label('phone')} description={t('people.form.phoneHint')} type="tel" autoComplete="off" />
          <Group grow align="start">
            <TextInput {...label('department')} autoComplete="off" list="departments" />
            <TextInput {...label('batch')} autoComplete="off" list="batches" />
          </Group>
          <datalist id="departments">
            {config.data?.departments.map((department) => (
              <option key={department}>{department}</option>
            ))}
          </datalist>
          <datalist id="batches">
            {batches.map((batch) => (
              <option key={batch}>{batch}</option>
            ))}
          </datalist>
          <Group grow align="start">
            <NativeSelect
              label={t('people.fact.category')}
              data={[...new Set([form.values.category, ...categories])]}
              {...form.getInputProps('category')}
            />
            <TextInput
              type="date"
              label={t('people.fact.validUntil')}
              description={t('people.form.validUntilHint')}
              {...form.getInputProps('validUntil')}
            />
          </Group>
          <TextInput
            {...label('guardianEmail')}
            description={t('people.form.guardianHint')}
            type="email"
            autoComplete="off"
          />
          <TextInput
            {...label('guardianPhone')}
            description={t('people.form.guardianPhoneHint')}
            type="tel"
            autoComplete="off"
          />
          <Fieldset legend={t('people.form.barred')}>
            <Group grow align="start">
              <TextInput type="date" label={t('people.form.barredUntil')} {...form.getInputProps('barred.until')} />
              <TextInput label={t('people.form.reason')} autoComplete="off" {...form.getInputProps('barred.reason')} />
            </Group>
          </Fieldset>
          <DialogEnd
            failure={failure === null ? null : t('people.form.failed', { reason: messageOf(failure) })}
            submit={person ? t('people.form.save') : t('people.form.submit')}
            pending={pending}
            onCancel={() => {
              if (!person) draft.remove()
              onClose()
            }}
          />
        </Stack>
      </form>
    </Dialog>
  )
}
