import { Button, Checkbox, TextInput } from '@mantine/core'
import { previewCalendar, saveCalendar } from '../../api/settings'
import type { Calendar } from '../../api/types'
import { t } from '../../lib/messages'
import { weekdayText } from '../../lib/format'
import { FormFrame } from './FormFrame'
import classes from './Settings.module.css'
import { useSettingsForm, type Part } from './useSettingsForm'

/** ISO weekdays; Monday is 1. */
const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7]

type Entry = { name: string; from: string; to: string; yearly: boolean }
type CalendarValues = { weekdays: number[]; dates: Entry[] }

const valuesOf = ({ closedWeekdays = [], closedDates = [] }: Calendar): CalendarValues => ({
  weekdays: closedWeekdays,
  dates: closedDates.map(({ name, from, to, yearly = false }) => ({ name, from, to: to ?? from, yearly })),
})

/** Converts the values to the document; a closure without a last day lasts one day. */
const documentOf = ({ weekdays, dates }: CalendarValues): Calendar => ({
  closedWeekdays: weekdays,
  closedDates: dates.map(({ name, from, to, yearly }) => ({ name, from, to: to || from, ...(yearly && { yearly }) })),
})

const SAMPLE: CalendarValues = { weekdays: [1], dates: [{ name: '', from: '', to: '', yearly: false }] }

const placeOf = (index: number, name: keyof Entry) => `closedDates[${index}].${name}`

/** Reports missing days here, because the server could not name their field. */
function findInvalidFields({ dates }: CalendarValues): Record<string, string> {
  const missing = dates.flatMap(({ from }, index) => (from === '' ? [placeOf(index, 'from')] : []))
  return Object.fromEntries(
    missing.map((place) => [place, t('field.required', { label: t('settings.calendar.from') })]),
  )
}

/** Form for the days on which the library is closed (R-RULE-4). */
export function CalendarForm(part: Part<Calendar>) {
  const form = useSettingsForm<CalendarValues, Calendar>({
    ...part,
    name: 'calendar',
    sample: SAMPLE,
    valuesOf,
    documentOf,
    findInvalidFields,
    save: saveCalendar,
    preview: previewCalendar,
  })
  const { values, errors, change } = form

  const nameOf = (place: string) =>
    t(place.startsWith('weekdays') ? 'settings.calendar.weekdays' : 'settings.calendar.dates')
  const setDate = (index: number, entry: Partial<Entry>) =>
    change({ ...values, dates: values.dates.map((one, place) => (place === index ? { ...one, ...entry } : one)) })

  return (
    <FormFrame form={form} label={t('settings.tab.calendar')} nameOf={nameOf}>
      <p className={classes.lead}>{t('settings.calendar.lead')}</p>
      <fieldset className={classes.group}>
        <legend>{t('settings.calendar.weekdays')}</legend>
        <div className={classes.weekdays}>
          {WEEKDAYS.map((day) => (
            <Checkbox
              key={day}
              label={weekdayText(day)}
              checked={values.weekdays.includes(day)}
              onChange={(event) => {
                const rest = values.weekdays.filter((one) => one !== day)
                const weekdays = event.currentTarget.checked ? [...rest, day].toSorted((a, b) => a - b) : rest
                change({ ...values, weekdays })
              }}
            />
          ))}
        </div>
        <p role="status" className={classes.reason}>
          {values.weekdays.length === WEEKDAYS.length && t('explain.neverOpen')}
        </p>
      </fieldset>
      <fieldset className={classes.group}>
        <legend>{t('settings.calendar.dates')}</legend>
        {values.dates.length === 0 && <p className={classes.reason}>{t('settings.calendar.none')}</p>}
        {errors['closedDates'] && (
          <p role="alert" className={classes.error}>
            {errors['closedDates']}
          </p>
        )}
        <ul className={classes.dates}>
          {values.dates.map((entry, index) => {
            const at = (name: keyof Entry) => placeOf(index, name)
            return (
              // An entry has no identity besides its position.
              // oxlint-disable-next-line react/no-array-index-key
              <li key={index}>
                <TextInput
                  label={t('settings.calendar.name')}
                  value={entry.name}
                  error={errors[at('name')]}
                  autoComplete="off"
                  className={classes.dateName}
                  data-path={at('name')}
                  onChange={(event) => setDate(index, { name: event.currentTarget.value })}
                />
                <TextInput
                  type="date"
                  label={t('settings.calendar.from')}
                  value={entry.from}
                  error={errors[at('from')]}
                  data-path={at('from')}
                  onChange={(event) => setDate(index, { from: event.currentTarget.value })}
                />
                <TextInput
                  type="date"
                  label={t('settings.calendar.to')}
                  value={entry.to}
                  error={errors[at('to')]}
                  data-path={at('to')}
                  onChange={(event) => setDate(index, { to: event.currentTarget.value })}
                />
                <Checkbox
                  label={t('settings.calendar.yearly')}
                  checked={entry.yearly}
                  className={classes.yearly}
                  onChange={(event) => setDate(index, { yearly: event.currentTarget.checked })}
                />
                <Button
                  variant="subtle"
                  color="gray"
                  aria-label={t('settings.calendar.removeNamed', { name: entry.name || entry.from })}
                  onClick={() => change({ ...values, dates: values.dates.filter((_, place) => place !== index) })}
                >
                  {t('settings.calendar.remove')}
                </Button>
              </li>
            )
          })}
        </ul>
        <Button
          variant="default"
          onClick={() => change({ ...values, dates: [...values.dates, { name: '', from: '', to: '', yearly: false }] })}
        >
          {t('settings.calendar.add')}
        </Button>
      </fieldset>
    </FormFrame>
  )
}
