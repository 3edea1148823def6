import { Checkbox, NumberInput, Switch, TextInput } from '@mantine/core'
import { labelOf } from '../../api/validate'
import { saveNotices } from '../../api/settings'
import type { NoticeSettings } from '../../api/types'
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

type Values = { automatic: boolean; dueSoonDays: string; overdueDays: string; off: string[] }

const SAMPLE: Values = { automatic: true, dueSoonDays: '', overdueDays: '', off: [''] }

const valuesOf = ({ automatic, dueSoonDays, overdueDays, off }: NoticeSettings): Values => ({
  automatic,
  dueSoonDays: dueSoonDays === null ? '' : String(dueSoonDays),
  overdueDays: overdueDays.join(', '),
  off,
})

const parts = (typed: string): string[] => typed.split(/[\s,;،]+/).filter(Boolean)

const documentOf = ({ automatic, dueSoonDays, overdueDays, off }: Values): NoticeSettings => ({
  automatic,
  dueSoonDays: dueSoonDays === '' ? null : Number(dueSoonDays),
  overdueDays: parts(overdueDays).map(Number),
  off: KINDS.filter((kind) => off.includes(kind)),
})

/** Reports what is no number here, because JSON has no word for it. */
function findBlankRules({ overdueDays }: Values): Record<string, string> {
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
    findBlankRules,
    save: saveNotices,
  })
  const { values, errors, change } = form
  const overdueError = Object.entries(errors).find(([field]) => field.startsWith('overdueDays'))?.[1]

  const nameOf = (place: string) => {
    if (place.startsWith('dueSoonDays')) return labelOf('NoticeSettings', 'dueSoonDays')
    if (place.startsWith('overdueDays')) return t('settings.notices.overdueDays')
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
                <Checkbox
                  key={kind}
                  label={t(`settings.notices.kind.${kind}`)}
                  checked={!values.off.includes(kind)}
                  onChange={(event) => {
                    const rest = values.off.filter((one) => one !== kind)
                    change({ ...values, off: event.currentTarget.checked ? rest : [...rest, kind] })
                  }}
                />
              ))}
            </div>
          </fieldset>
        </>
      )}
    </FormFrame>
  )
}
