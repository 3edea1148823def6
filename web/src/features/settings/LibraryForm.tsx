import { NativeSelect, NumberInput, Textarea, TextInput } from '@mantine/core'
import { previewLibrary, saveLibrary } from '../../api/settings'
import type { LibrarySettings } from '../../api/types'
import { labelOf } from '../../api/validate'
import { monthText } from '../../lib/format'
import { LANGUAGES, t } from '../../lib/messages'
import { FormFrame } from './FormFrame'
import classes from './Settings.module.css'
import { useSettingsForm, type Part } from './useSettingsForm'

type LibraryValues = {
  name: string
  currency: string
  currencyCode: string
  accessionPrefix: string
  language: LibrarySettings['language']
  financialYearMonth: number
  /** Blank: never. */
  forgetAfterMonths: string
  /** One a line. */
  batches: string
  departments: string
}

const SAMPLE: LibraryValues = {
  name: '',
  currency: '',
  currencyCode: '',
  accessionPrefix: '',
  language: 'en',
  financialYearMonth: 4,
  forgetAfterMonths: '',
  batches: '',
  departments: '',
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

function valuesOf({ batches, departments, ...texts }: LibrarySettings): LibraryValues {
  return {
    name: texts.name,
    currency: texts.currency,
    currencyCode: texts.currencyCode,
    accessionPrefix: texts.accessionPrefix,
    language: texts.language,
    financialYearMonth: texts.financialYearMonth,
    forgetAfterMonths: texts.forgetAfterMonths === null ? '' : String(texts.forgetAfterMonths),
    batches: batches.join('\n'),
    departments: departments.join('\n'),
  }
}

const documentOf = ({ batches, departments, forgetAfterMonths, ...texts }: LibraryValues): LibrarySettings => ({
  ...texts,
  forgetAfterMonths: forgetAfterMonths === '' ? null : Number(forgetAfterMonths),
  batches: linesOf(batches),
  departments: linesOf(departments),
})

const TEXTS = ['name', 'currency', 'currencyCode', 'accessionPrefix'] as const
const NUMBERS = ['financialYearMonth', 'forgetAfterMonths'] as const
const MONTHS = Array.from({ length: 12 }, (_, index) => index + 1)
const LISTS = ['batches', 'departments'] as const

/** What the library is called, how it counts its money, and what registration offers (R-RULE-1). */
export function LibraryForm(part: Part<LibrarySettings>) {
  const form = useSettingsForm<LibraryValues, LibrarySettings>({
    ...part,
    name: 'library',
    sample: SAMPLE,
    valuesOf,
    documentOf,
    save: saveLibrary,
    preview: previewLibrary,
    hasEffect: (before, after) => before.forgetAfterMonths !== after.forgetAfterMonths,
  })
  const { values, change, errors } = form

  const nameOf = (place: string): string => {
    const list = LISTS.find((name) => name === place)
    if (list) return t(`settings.library.${list}`)
    const text = TEXTS.find((name) => name === place)
    if (text) return labelOf('LibrarySettings', text)
    const number = NUMBERS.find((name) => name === place)
    return labelOf('LibrarySettings', number ?? 'language')
  }
  /** The server names the line of a list; all lines stand in one field. */
  const errorsIn = (list: string) =>
    [
      ...new Set(
        Object.entries(errors)
          .filter(([field]) => field === list || field.startsWith(`${list}[`))
          .map(([, message]) => message),
      ),
    ].join(' ')

  return (
    <FormFrame form={form} label={t('settings.tab.library')} nameOf={nameOf}>
      <div className={classes.column}>
        {TEXTS.map((name) => (
          <TextInput
            key={name}
            label={labelOf('LibrarySettings', name)}
            description={t(`settings.library.${name}Hint`)}
            value={values[name]}
            error={errors[name]}
            autoComplete="off"
            className={name === 'name' ? undefined : classes.short}
            data-path={name}
            onChange={(event) => change({ ...values, [name]: event.currentTarget.value })}
          />
        ))}
        <NativeSelect
          label={labelOf('LibrarySettings', 'language')}
          description={t('settings.library.languageHint')}
          value={values.language}
          error={errors['language']}
          data={Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))}
          className={classes.short}
          data-path="language"
          onChange={(event) => change({ ...values, language: event.currentTarget.value === 'hi' ? 'hi' : 'en' })}
        />
        <NativeSelect
          label={labelOf('LibrarySettings', 'financialYearMonth')}
          description={t('settings.library.financialYearMonthHint')}
          value={values.financialYearMonth}
          error={errors['financialYearMonth']}
          data={MONTHS.map((month) => ({ value: String(month), label: monthText(month) }))}
          className={classes.short}
          data-path="financialYearMonth"
          onChange={(event) => change({ ...values, financialYearMonth: Number(event.currentTarget.value) })}
        />
        <NumberInput
          label={labelOf('LibrarySettings', 'forgetAfterMonths')}
          description={t('settings.library.forgetAfterMonthsHint')}
          value={values.forgetAfterMonths}
          error={errors['forgetAfterMonths']}
          clampBehavior="none"
          data-path="forgetAfterMonths"
          onChange={(months) => change({ ...values, forgetAfterMonths: String(months) })}
        />
        {LISTS.map((name) => (
          <Textarea
            key={name}
            label={t(`settings.library.${name}`)}
            description={t(`settings.library.${name}Hint`)}
            value={values[name]}
            error={errorsIn(name)}
            autosize
            minRows={3}
            maxRows={12}
            data-path={name}
            onChange={(event) => change({ ...values, [name]: event.currentTarget.value })}
          />
        ))}
      </div>
    </FormFrame>
  )
}
