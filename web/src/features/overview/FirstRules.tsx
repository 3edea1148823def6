import { Anchor, Checkbox, Radio, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { useAction } from '../../api/action'
import { keys } from '../../api/keys'
import { calendarQuery, rulesQuery, saveCalendar, saveRules } from '../../api/settings'
import { rich, t } from '../../lib/messages'
import { notify } from '../../lib/notify'
import { messageOf } from '../../lib/problem'
import { paths } from '../../screens'
import { Dialog } from '../../ui/Dialog'
import { DialogEnd } from '../../ui/DialogEnd'
import { ListState } from '../../ui/ListState'
import { calendarWith, holidaysFrom, PRESETS, rulesWith, type Preset } from './preset'

/** ETag of a document that was never saved. */
const NEVER = '"0"'
const NAMES = Object.keys(PRESETS) as Preset[]

/** Dialog that sets usual rules and closed days; a document that was saved before is not replaced. */
export function FirstRules({ today, onClose }: { today: string; onClose: () => void }) {
  const fresh = { refetchOnMount: 'always', refetchOnWindowFocus: false } as const
  const rules = useQuery({ ...rulesQuery, ...fresh })
  const calendar = useQuery({ ...calendarQuery, ...fresh })
  const queries = useQueryClient()
  const [preset, setPreset] = useState<Preset>('school')
  const [closed, setClosed] = useState(['sundays', 'holidays'])
  const ofRules = useAction(saveRules)
  const ofCalendar = useAction(saveCalendar)
  const days = holidaysFrom(today)
  const error = ofRules.error ?? ofCalendar.error

  async function save() {
    if (!rules.data || !calendar.data) return
    // A retry after the second save failed does not repeat the first one.
    if (rules.data.etag === NEVER) {
      const { document, etag } = rules.data
      if (!(await ofRules.run({ document: rulesWith(document, preset), etag })).ok) return
    }
    if (calendar.data.etag === NEVER) {
      const { document, etag } = calendar.data
      const named = closed.includes('holidays') ? days.map(({ day, name }) => ({ day, name: t(name) })) : []
      const chosen = calendarWith(document, closed.includes('sundays'), named)
      if (!(await ofCalendar.run({ document: chosen, etag })).ok) return
    }
    await queries.invalidateQueries({ queryKey: keys.overview })
    notify.success(t('overview.rules.saved'))
    onClose()
  }

  return (
    <Dialog title={t('overview.step.rules')} onClose={onClose} size="md">
      <ListState query={rules.data ? calendar : rules} lines={5}>
        {() => (
          <form
            noValidate
            onSubmit={(event) => {
              event.preventDefault()
              if (!ofRules.pending && !ofCalendar.pending) void save()
            }}
          >
            <Stack>
              {rules.data?.etag === NEVER ? (
                <Radio.Group label={t('overview.rules.preset')} value={preset} onChange={(chosen) => setPreset(chosen)}>
                  <Stack gap="sm" mt="xs">
                    {NAMES.map((name) => (
                      <Radio
                        key={name}
                        value={name}
                        label={t(`overview.rules.${name}`)}
                        description={t('overview.rules.inShort', PRESETS[name])}
                      />
                    ))}
                  </Stack>
                </Radio.Group>
              ) : (
                <Text c="dimmed">{t('overview.rules.kept')}</Text>
              )}
              {calendar.data?.etag === NEVER ? (
                <Checkbox.Group label={t('overview.rules.closed')} value={closed} onChange={setClosed}>
                  <Stack gap="sm" mt="xs">
                    <Checkbox value="sundays" label={t('overview.rules.sundays')} />
                    <Checkbox
                      value="holidays"
                      label={t('overview.rules.holidays')}
                      description={days
                        .map(({ day, name }) => t('overview.rules.holiday', { day, name: t(name) }))
                        .join(' · ')}
                    />
                  </Stack>
                </Checkbox.Group>
              ) : (
                <Text c="dimmed">{t('overview.rules.calendarKept')}</Text>
              )}
              <Text size="sm" c="dimmed">
                {rich('overview.rules.later', {
                  link: (words) => (
                    <Anchor component={Link} to={paths.settings()} size="sm">
                      {words}
                    </Anchor>
                  ),
                })}
              </Text>
              <DialogEnd
                failure={error === null ? null : messageOf(error)}
                submit={t('overview.rules.save')}
                pending={ofRules.pending || ofCalendar.pending}
                onCancel={onClose}
              />
            </Stack>
          </form>
        )}
      </ListState>
    </Dialog>
  )
}
