import { Alert, Anchor, Button, Checkbox, NativeSelect, NumberInput, TextInput, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from 'react-router'
import { configQuery } from '../../api/config'
import { previewRules, saveRules } from '../../api/settings'
import type { RulesDocument } from '../../api/types'
import { labelOf } from '../../api/validate'
import { dayText, moneyText } from '../../lib/format'
import { t } from '../../lib/messages'
import { ErrorState } from '../../ui/ErrorState'
import { FormFrame } from './FormFrame'
import {
  findBlankRules,
  documentOf,
  RULES,
  type Rule,
  type RuleName,
  type RuleValue,
  type RuleValues,
  SAMPLE,
  valuesOf,
  withRule,
} from './rules'
import classes from './Settings.module.css'
import { useSettingsForm, type Part } from './useSettingsForm'

const GROUPS = ['lending', 'fines', 'stops', 'holds'] as const
const SWITCHES = [
  'selfBorrow',
  'selfReturn',
  'selfRenew',
  'chargeClosedDays',
  'chargeOnRenewal',
  'returnsWaitToBeShelved',
] as const

const ruleName = (rule: RuleName): string =>
  rule === 'allBackBy' || rule === 'oneCopyPerTitle' || rule === 'fineUpToPrice'
    ? t(`settings.rule.${rule}`)
    : labelOf('CategoryRules', rule)

/** Requires numbers here, because the server cannot tell blank from "no limit". */
const findInvalidFields = (values: RuleValues): Record<string, string> =>
  Object.fromEntries(
    findBlankRules(values).map(({ path, rule }) => [path, t('field.required', { label: ruleName(rule.name) })]),
  )

/**
 * Form for the lending rules: first those of students, then the differences of other categories (R-RULE-1, R-RULE-2).
 */
export function RulesForm(part: Part<RulesDocument>) {
  const config = useQuery(configQuery)
  if (config.error && !config.data) return <ErrorState error={config.error} onRetry={() => void config.refetch()} />
  return config.data && <RulesOfDay {...part} today={config.data.today} />
}

function RulesOfDay({ today, ...part }: Part<RulesDocument> & { today: string }) {
  const form = useSettingsForm<RuleValues, RulesDocument>({
    ...part,
    name: 'rules',
    sample: SAMPLE,
    valuesOf: (document) => valuesOf(document, today),
    documentOf,
    findInvalidFields,
    save: saveRules,
    preview: previewRules,
  })
  const { values, saved, errors, change } = form
  const { search } = useLocation()

  function nameOf(place: string): string {
    const [, index, rule] = /^categories\[(\d+)\]\.(?:rules\.)?(\w+)$/.exec(place) ?? []
    const known = RULES.find(({ name }) => name === rule)
    if (known) return `${values.categories[Number(index)]?.name ?? ''}: ${ruleName(known.name)}`
    const setting = SWITCHES.find((name) => name === place)
    if (setting) return t(`settings.switch.${setting}`)
    return place === 'effectiveFrom' ? t('settings.from') : t('settings.categories')
  }

  return (
    <FormFrame form={form} label={t('settings.tab.rules')} nameOf={nameOf}>
      {saved.effectiveFrom !== '' && (
        <Alert color="teal" mb="lg">
          {t('settings.later', { day: saved.effectiveFrom })}
        </Alert>
      )}
      {values.categories.length > 1 && (
        <nav aria-label={t('settings.categories')} className={classes.parts}>
          {values.categories.map(({ name }, index) => (
            // oxlint-disable-next-line react/no-array-index-key
            <Anchor key={index} component={Link} to={{ search, hash: partOf(index) }} replace dir="auto">
              {index === 0 ? t('settings.category.student') : name || t('settings.category.new')}
            </Anchor>
          ))}
        </nav>
      )}
      {values.categories.map((_category, index) => {
        const shared = { index, values, errors, onChange: change }
        return index === 0 ? (
          <StudentRules key="student" {...shared} />
        ) : (
          // A category has no identity besides its position: its name is edited here.
          // oxlint-disable-next-line react/no-array-index-key
          <OtherRules key={index} {...shared} />
        )
      })}
      <Button
        variant="default"
        mt="lg"
        onClick={() => change({ ...values, categories: [...values.categories, { name: '', rules: {} }] })}
      >
        {t('settings.category.add')}
      </Button>
      <fieldset className={classes.group}>
        <legend>{t('settings.group.self')}</legend>
        <div className={classes.switches}>
          {SWITCHES.map((name) => (
            <Checkbox
              key={name}
              label={t(`settings.switch.${name}`)}
              description={t(`settings.hint.${name}`)}
              checked={values[name] ?? false}
              onChange={(event) => change({ ...values, [name]: event.currentTarget.checked })}
            />
          ))}
        </div>
      </fieldset>
      <TextInput
        type="date"
        label={t('settings.from')}
        description={t('settings.fromHint')}
        value={values.effectiveFrom}
        error={errors['effectiveFrom']}
        min={today}
        mt="lg"
        maw="20rem"
        data-path="effectiveFrom"
        onChange={(event) => change({ ...values, effectiveFrom: event.currentTarget.value })}
      />
    </FormFrame>
  )
}

/** Returns the id of a category's part of the form, to jump to it. */
const partOf = (index: number): string => `category-${index}`

type CategoryProps = {
  index: number
  values: RuleValues
  errors: Readonly<Record<string, string>>
  onChange: (next: RuleValues) => void
}

function StudentRules({ index, values, errors, onChange }: CategoryProps) {
  const rules = values.categories[index]?.rules ?? {}
  return (
    <section id={partOf(index)} className={classes.jumped} aria-label={t('settings.category.student')}>
      <Title order={2}>{t('settings.category.student')}</Title>
      {GROUPS.map((group) => (
        <fieldset key={group} className={classes.group}>
          <legend>{t(`settings.group.${group}`)}</legend>
          <div className={classes.grid}>
            {RULES.filter((rule) => rule.group === group).map((rule) => (
              <RuleField
                key={rule.name}
                rule={rule}
                place={`categories[${index}].rules.${rule.name}`}
                value={rules[rule.name] ?? null}
                errors={errors}
                onChange={(value) => onChange(withRule(values, index, rule.name, value))}
              />
            ))}
          </div>
        </fieldset>
      ))}
    </section>
  )
}

/** Another category with its own rules; the students' rules apply where the category sets none. */
function OtherRules({ index, values, errors, onChange }: CategoryProps) {
  const category = values.categories[index] ?? { name: '', rules: {} }
  const student = values.categories[0]?.rules ?? {}
  const own = RULES.filter(({ name }) => category.rules[name] !== undefined)
  const others = RULES.filter(({ name }) => category.rules[name] === undefined)
  const title = category.name || t('settings.category.new')

  return (
    <section id={partOf(index)} className={`${classes.category} ${classes.jumped}`} aria-label={title}>
      <div className={classes.categoryHead}>
        <TextInput
          label={t('settings.category.name')}
          value={category.name}
          error={errors[`categories[${index}].name`]}
          autoComplete="off"
          data-path={`categories[${index}].name`}
          onChange={(event) => {
            const name = event.currentTarget.value
            onChange({
              ...values,
              categories: values.categories.map((one, place) => (place === index ? { ...one, name } : one)),
            })
          }}
        />
        <Button
          variant="subtle"
          color="gray"
          aria-label={t('settings.category.removeNamed', { name: title })}
          onClick={() => onChange({ ...values, categories: values.categories.filter((_, place) => place !== index) })}
        >
          {t('settings.category.remove')}
        </Button>
      </div>
      <p className={classes.reason}>{t(own.length === 0 ? 'settings.category.same' : 'settings.category.rest')}</p>
      <div className={classes.grid}>
        {own.map((rule) => (
          <div key={rule.name}>
            <RuleField
              rule={rule}
              place={`categories[${index}].rules.${rule.name}`}
              value={category.rules[rule.name] ?? null}
              errors={errors}
              onChange={(value) => onChange(withRule(values, index, rule.name, value))}
            />
            <Button
              variant="subtle"
              size="compact-sm"
              aria-label={t('settings.category.asStudentNamed', { rule: ruleName(rule.name), name: title })}
              onClick={() => onChange(withRule(values, index, rule.name, undefined))}
            >
              {t('settings.category.asStudent', { value: valueText(rule, student[rule.name] ?? null) })}
            </Button>
          </div>
        ))}
      </div>
      {others.length > 0 && (
        <NativeSelect
          label={t('settings.category.own')}
          value=""
          maw="24rem"
          mt="sm"
          data={[
            { value: '', label: t('settings.category.choose') },
            ...others.map(({ name }) => ({ value: name, label: ruleName(name) })),
          ]}
          onChange={(event) => {
            const chosen = others.find(({ name }) => name === event.currentTarget.value)
            if (chosen) onChange(withRule(values, index, chosen.name, student[chosen.name] ?? null))
          }}
        />
      )}
    </section>
  )
}

/** Formats a value: "7", "₹5", "no limit". */
function valueText(rule: Rule, value: RuleValue): string {
  if (rule.kind === 'flag') return t(value === true ? 'settings.on' : 'settings.off')
  if (value === null || value === '') return t('settings.none')
  if (rule.kind === 'day') return dayText(String(value))
  return rule.kind === 'amount' ? moneyText(Number(value)) : String(value)
}

type RuleFieldProps = {
  rule: Rule
  place: string
  value: RuleValue
  errors: Readonly<Record<string, string>>
  onChange: (value: RuleValue) => void
}

function RuleField({ rule, place, value, errors, onChange }: RuleFieldProps) {
  const shared = {
    label: ruleName(rule.name),
    description: t(`settings.hint.${rule.name}`),
    error: errors[place],
    'data-path': place,
  }
  switch (rule.kind) {
    case 'flag':
      return (
        <Checkbox
          {...shared}
          mt="lg"
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      )
    case 'day':
      return (
        <TextInput
          {...shared}
          type="date"
          value={String(value ?? '')}
          onChange={(event) => onChange(event.currentTarget.value || null)}
        />
      )
    case 'number':
    case 'amount':
      return (
        <NumberInput
          {...shared}
          value={typeof value === 'boolean' ? '' : (value ?? '')}
          placeholder={'limit' in rule ? t('settings.none') : ''}
          clampBehavior="none"
          // Invalid input stays as typed and is reported: 3.5 days are not 35.
          onChange={(typed) => onChange(typed === '' ? null : Number.isNaN(Number(typed)) ? typed : Number(typed))}
        />
      )
  }
}
