import { NativeSelect, NumberInput, Switch, Textarea, TextInput } from '@mantine/core'
import type { Preview, Save } from '../../api/settings'
import { labelOf, type FormName } from '../../api/validate'
import { t, type PlainKey } from '../../lib/messages'
import { FormFrame } from './FormFrame'
import classes from './Settings.module.css'
import { useSettingsForm, type Part } from './useSettingsForm'

/** One setting: its input and texts. */
export type Setting<D> = {
  name: keyof D & string
  /** Label, if the contract has none. */
  label?: PlainKey
  hint: PlainKey
  /** `lines`: a list, one entry per line. A blank `number` means none. */
  kind: 'text' | 'number' | 'lines' | 'choice' | 'switch'
  /** Options of a `choice`, built at render time because they are translated. */
  choices?: () => readonly { value: string; label: string }[]
  /** True if the document stores the options as numbers. */
  numeric?: true
  /** True for a wide input, for long text. */
  wide?: true
  /** True if a change affects loans; the effect is shown before saving. */
  affectsLoans?: true
}

/** Description of a settings document, from which its page is rendered. */
export type SettingsDocument<D> = {
  /** Name of the form's draft. */
  name: string
  /** Schema of the API that labels the settings. */
  schema: FormName
  /** Accessible name of the form. */
  label: PlainKey
  save: Save<D>
  preview?: Preview<D>
  sections: readonly { title?: PlainKey; settings: readonly Setting<D>[] }[]
}

/** Typed values by name of the setting; a switch that is on has `on`. */
type Values = Readonly<Record<string, string>>

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

function typedOf({ kind }: Setting<never>, value: unknown): string {
  if (kind === 'lines') return (value as readonly string[]).join('\n')
  if (kind === 'switch') return value === true ? 'on' : ''
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

function valueOf({ kind, numeric }: Setting<never>, typed: string): unknown {
  if (kind === 'lines') return linesOf(typed)
  if (kind === 'switch') return typed === 'on'
  if (kind === 'number') return typed === '' ? null : Number(typed)
  return numeric ? Number(typed) : typed
}

/** Page of one settings document (R-RULE-1). */
export function DocumentForm<D extends object>({ page, ...part }: Part<D> & { page: SettingsDocument<D> }) {
  const settings: readonly Setting<never>[] = page.sections.flatMap((section) => section.settings as never[])
  const all = <T,>(make: (setting: Setting<never>) => T) =>
    Object.fromEntries(settings.map((setting): [string, T] => [setting.name, make(setting)]))
  const form = useSettingsForm<Values, D>({
    ...part,
    name: page.name,
    sample: all(() => ''),
    valuesOf: (document) =>
      all((setting) => typedOf(setting, (document as Readonly<Record<string, unknown>>)[setting.name])),
    // JSON cannot represent NaN: a null in its place would mean "none".
    findInvalidFields: (values) =>
      Object.fromEntries(
        settings
          .filter(({ name, kind }) => kind === 'number' && Number.isNaN(Number(values[name])))
          .map(({ name }) => [name, t('field.notNumber')]),
      ),
    documentOf: (values) => all((setting) => valueOf(setting, values[setting.name] ?? '')) as D,
    save: page.save,
    ...(page.preview && { preview: page.preview }),
    hasEffect: (before, after) =>
      settings.some(({ name, affectsLoans }) => affectsLoans === true && before[name] !== after[name]),
  })
  const { values, change, errors } = form

  return (
    <FormFrame
      form={form}
      label={t(page.label)}
      nameOf={(place) => {
        const setting = settings.find(({ name }) => name === place)
        return setting ? nameIn(page.schema, setting) : t(page.label)
      }}
    >
      {page.sections.map(({ title, settings: own }, index) => {
        const fields = own.map((setting) => (
          <Field
            key={setting.name}
            label={nameIn(page.schema, setting as Setting<never>)}
            setting={setting as Setting<never>}
            value={values[setting.name] ?? ''}
            error={errorsIn(errors, setting.name)}
            onChange={(value) => change({ ...values, [setting.name]: value })}
          />
        ))
        return title === undefined ? (
          // Sections have no identity besides their position.
          // oxlint-disable-next-line react/no-array-index-key
          <div key={index} className={classes.column}>
            {fields}
          </div>
        ) : (
          <fieldset key={title} className={classes.group}>
            <legend>{t(title)}</legend>
            <div className={classes.column}>{fields}</div>
          </fieldset>
        )
      })}
    </FormFrame>
  )
}

/** Joins the errors of a setting: the server names the line of a list, but all lines are in one field. */
const errorsIn = (errors: Readonly<Record<string, string>>, name: string): string =>
  [
    ...new Set(
      Object.entries(errors)
        .filter(([field]) => field === name || field.startsWith(`${name}[`))
        .map(([, message]) => message),
    ),
  ].join(' ')

/** Returns the label of a setting, from the contract if it has one. */
const nameIn = (schema: FormName, { name, label }: Setting<never>): string =>
  label === undefined ? labelOf(schema, name as never) : t(label)

type FieldProps = {
  label: string
  setting: Setting<never>
  value: string
  error: string
  onChange: (value: string) => void
}

function Field({ label, setting: { name, hint, kind, choices, wide }, value, error, onChange }: FieldProps) {
  const shared = { label, description: t(hint), value, error, 'data-path': name }
  const short = wide ? undefined : classes.short
  switch (kind) {
    case 'text':
      return (
        <TextInput
          {...shared}
          autoComplete="off"
          className={short}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )
    case 'choice':
      return (
        <NativeSelect
          {...shared}
          data={[...(choices?.() ?? [])]}
          className={short}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )
    case 'switch': {
      const { value: typed, ...labelled } = shared
      return (
        <Switch
          {...labelled}
          checked={typed === 'on'}
          onChange={(event) => onChange(event.currentTarget.checked ? 'on' : '')}
        />
      )
    }
    case 'number':
      return <NumberInput {...shared} clampBehavior="none" onChange={(number) => onChange(String(number))} />
    case 'lines':
      return (
        <Textarea
          {...shared}
          autosize
          minRows={3}
          maxRows={12}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )
  }
}
