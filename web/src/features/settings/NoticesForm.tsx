import { Checkbox, Fieldset, Group, NativeSelect, NumberInput, Switch, Text, TextInput } from '@mantine/core'
import { labelOf } from '../../api/validate'
import { saveNotices } from '../../api/settings'
import type { NoticeSettings } from '../../api/types'
import { hourText } from '../../lib/format'
import { t } from '../../lib/messages'
import { FormFrame } from './FormFrame'
import classes from './Settings.module.css'
import { useSettingsForm, type Part } from './useSettingsForm'

/** Kinds that may be turned off, in the order of the form. */
const KINDS = [
  'due-soon',
  'due-today',
  'overdue',
  'hold-ready',
  'hold-expiring',
  'hold-lapsed',
  'hold-cancelled',
  'hold-put-back',
  'due-date-moved',
  'charged',
  'paid',
  'lent',
  'returned',
] as const

/** Kinds of reminders, which may go to guardians too. */
const REMINDERS = ['due-soon', 'due-today', 'overdue'] as const

/** Ways to deliver a kind of notice to its reader. */
const WAYS = ['mail', 'screen', 'off'] as const
type Way = (typeof WAYS)[number]

type Values = {
  automatic: boolean
  dueSoonDays: string
  overdueDays: string
  off: string[]
  byMail: boolean
  mailHour: string
  screenOnly: string[]
  toGuardians: string[]
  quiet: { from: string; to: string }
}

const SAMPLE: Values = {
  automatic: true,
  dueSoonDays: '',
  overdueDays: '',
  off: [''],
  byMail: true,
  mailHour: '',
  screenOnly: [''],
  toGuardians: [''],
  quiet: { from: '', to: '' },
}

const HOURS = Array.from({ length: 24 }, (_, hour) => ({
  value: String(hour),
  label: hourText(hour),
}))

/** End of the quiet hours that is offered first. */
const MORNING = 7

const valuesOf = (document: NoticeSettings): Values => ({
  automatic: document.automatic,
  dueSoonDays: document.dueSoonDays === null ? '' : String(document.dueSoonDays),
  overdueDays: document.overdueDays.join(', '),
  off: document.off,
  byMail: document.byMail,
  mailHour: String(document.mailHour),
  screenOnly: document.screenOnly,
  toGuardians: document.toGuardians,
  quiet: { from: String(document.quiet?.from ?? ''), to: String(document.quiet?.to ?? MORNING) },
})

function wayOf({ off, screenOnly }: Values, kind: string): Way {
  if (off.includes(kind)) return 'off'
  return screenOnly.includes(kind) ? 'screen' : 'mail'
}

/** Returns the values with another way of delivery for a kind of notice. */
function withWay(values: Values, kind: string, way: Way): Values {
  const listed = (list: string[], is: boolean) => [...list.filter((one) => one !== kind), ...(is ? [kind] : [])]
  return {
    ...values,
    off: listed(values.off, way === 'off'),
    screenOnly: listed(values.screenOnly, way === 'screen'),
  }
}

const parts = (typed: string): string[] => typed.split(/[\s,;،]+/).filter(Boolean)

const documentOf = (values: Values): NoticeSettings => ({
  automatic: values.automatic,
  dueSoonDays: values.dueSoonDays === '' ? null : Number(values.dueSoonDays),
  overdueDays: parts(values.overdueDays).map(Number),
  off: KINDS.filter((kind) => values.off.includes(kind)),
  byMail: values.byMail,
  mailHour: Number(values.mailHour),
  screenOnly: KINDS.filter((kind) => values.screenOnly.includes(kind)),
  toGuardians: REMINDERS.filter((kind) => values.toGuardians.includes(kind)),
  quiet: values.quiet.from === '' ? null : { from: Number(values.quiet.from), to: Number(values.quiet.to) },
})

/** Rejects text that is not a number here, because JSON cannot represent NaN. */
function findInvalidFields({ overdueDays }: Values): Record<string, string> {
  return parts(overdueDays).every((part) => /^\d+$/.test(part))
    ? {}
    : { overdueDays: t('settings.notices.overdueHint') }
}

/** Form for the notices that the library sends by itself. */
export function NoticesForm(part: Part<NoticeSettings>) {
  const form = useSettingsForm<Values, NoticeSettings>({
    ...part,
    name: 'notices',
    sample: SAMPLE,
    valuesOf,
    documentOf,
    findInvalidFields,
    save: saveNotices,
  })
  const { values, errors, change } = form
  const overdueError = Object.entries(errors).find(([field]) => field.startsWith('overdueDays'))?.[1]

  const nameOf = (place: string) => {
    if (place.startsWith('dueSoonDays')) return labelOf('NoticeSettings', 'dueSoonDays')
    if (place.startsWith('overdueDays')) return t('settings.notices.overdueDays')
    if (place.startsWith('mailHour')) return t('settings.notices.mailHour')
    if (place.startsWith('quiet')) return t('settings.notices.quiet')
    if (place.startsWith('toGuardians')) return t('settings.notices.toGuardians')
    if (place.startsWith('byMail')) return t('settings.notices.byMail')
    return t(place.startsWith('automatic') ? 'settings.notices.automatic' : 'settings.notices.kinds')
  }

  return (
    <FormFrame form={form} label={t('settings.tab.notices')} nameOf={nameOf}>
      <p className={classes.lead}>{t('settings.notices.lead')}</p>
      <div className={classes.group}>
        <Switch
          label={t('settings.notices.automatic')}
          description={t('settings.notices.automaticHint')}
          checked={values.automatic}
          onChange={(event) => change({ ...values, automatic: event.currentTarget.checked })}
        />
      </div>
      {values.automatic && (
        <>
          <fieldset className={classes.group}>
            <legend>{t('settings.notices.days')}</legend>
            <div className={classes.column}>
              <NumberInput
                label={labelOf('NoticeSettings', 'dueSoonDays')}
                description={t('settings.notices.dueSoonHint')}
                value={values.dueSoonDays}
                error={errors['dueSoonDays']}
                clampBehavior="none"
                className={classes.short}
                data-path="dueSoonDays"
                onChange={(days) => change({ ...values, dueSoonDays: String(days) })}
              />
              <TextInput
                label={t('settings.notices.overdueDays')}
                description={t('settings.notices.overdueHint')}
                value={values.overdueDays}
                error={overdueError}
                autoComplete="off"
                className={classes.short}
                data-path="overdueDays"
                onChange={(event) => change({ ...values, overdueDays: event.currentTarget.value })}
              />
            </div>
          </fieldset>
          <fieldset className={classes.group}>
            <legend>{t('settings.notices.kinds')}</legend>
            <div className={classes.grid}>
              {KINDS.map((kind) => (
                <NativeSelect
                  key={kind}
                  label={t(`settings.notices.kind.${kind}`)}
                  value={wayOf(values, kind)}
                  data={WAYS.map((way) => ({ value: way, label: t(`settings.notices.way.${way}`) }))}
                  onChange={(event) => {
                    const way = WAYS.find((one) => one === event.currentTarget.value)
                    if (way) change(withWay(values, kind, way))
                  }}
                />
              ))}
            </div>
          </fieldset>
          <fieldset className={classes.group}>
            <legend>{t('settings.notices.mail')}</legend>
            <div className={classes.column}>
              <Switch
                label={t('settings.notices.byMail')}
                description={t('settings.notices.byMailHint')}
                checked={values.byMail}
                onChange={(event) => change({ ...values, byMail: event.currentTarget.checked })}
              />
              {values.byMail && (
                <Checkbox.Group
                  label={t('settings.notices.toGuardians')}
                  description={t('settings.notices.toGuardiansHint')}
                  value={values.toGuardians}
                  onChange={(toGuardians) => change({ ...values, toGuardians })}
                >
                  <Group gap="lg" mt="xs">
                    {REMINDERS.map((kind) => (
                      <Checkbox
                        key={kind}
                        value={kind}
                        label={t(`settings.notices.kind.${kind}`)}
                        disabled={values.off.includes(kind)}
                      />
                    ))}
                  </Group>
                </Checkbox.Group>
              )}
              {values.byMail && (
                <NativeSelect
                  label={t('settings.notices.mailHour')}
                  description={t('settings.notices.mailHourHint')}
                  value={values.mailHour}
                  data={HOURS}
                  error={errors['mailHour']}
                  className={classes.short}
                  data-path="mailHour"
                  onChange={(event) => change({ ...values, mailHour: event.currentTarget.value })}
                />
              )}
              {values.byMail && (
                <Fieldset legend={t('settings.notices.quiet')} variant="unstyled">
                  <Text size="sm" c="dimmed">
                    {t('settings.notices.quietHint')}
                  </Text>
                  <Group align="start" mt="xs">
                    <NativeSelect
                      label={t('settings.notices.quiet.from')}
                      value={values.quiet.from}
                      data={[{ value: '', label: t('settings.notices.quiet.none') }, ...HOURS]}
                      error={errors['quiet.from']}
                      data-path="quiet.from"
                      onChange={(event) =>
                        change({ ...values, quiet: { ...values.quiet, from: event.currentTarget.value } })
                      }
                    />
                    {values.quiet.from !== '' && (
                      <NativeSelect
                        label={t('settings.notices.quiet.to')}
                        value={values.quiet.to}
                        data={HOURS}
                        error={errors['quiet.to']}
                        data-path="quiet.to"
                        onChange={(event) =>
                          change({ ...values, quiet: { ...values.quiet, to: event.currentTarget.value } })
                        }
                      />
                    )}
                  </Group>
                </Fieldset>
              )}
            </div>
          </fieldset>
        </>
      )}
    </FormFrame>
  )
}
