import { Button, Group, Stack, TextInput, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useAction } from '../../api/action'
import { endCalendarLink, makeCalendarLink, myCalendarLinkQuery } from '../../api/calendarLink'
import { instantText } from '../../lib/format'
import { t } from '../../lib/messages'
import { Copy } from '../../ui/Copy'
import classes from './ProfileScreen.module.css'

const failed = (reason: string) => t('profile.calendar.failed', { reason })

/** The reader's secret link to their due dates, for a calendar program. */
export function Calendar() {
  const link = useQuery(myCalendarLinkQuery).data
  const make = useAction(makeCalendarLink, { done: () => t('profile.calendar.made'), failed })
  const end = useAction(endCalendarLink, { done: () => t('profile.calendar.ended'), failed })
  // The address is shown once, because the server stores only a hash.
  const [address, setAddress] = useState<string | null>(null)
  if (!link) return null
  const { madeAt } = link
  const pending = make.pending || end.pending
  async function makeLink() {
    const made = await make.run(null)
    if (made.ok) setAddress(made.output.address)
  }

  async function endLink() {
    const { ok } = await end.run(null)
    if (ok) setAddress(null)
  }

  return (
    <section className={classes.part} aria-labelledby="calendar">
      <Title order={2} id="calendar">
        {t('profile.calendar.title')}
      </Title>
      <Stack mt="sm" gap="md">
        <p style={{ margin: 0 }}>{t('profile.calendar.lead')}</p>
        {address !== null && (
          <Group align="end" wrap="nowrap" gap="xs">
            <TextInput
              flex={1}
              readOnly
              dir="ltr"
              label={t('profile.calendar.address')}
              description={t('profile.calendar.once')}
              value={address}
              onFocus={(event) => event.currentTarget.select()}
            />
            <Copy text={address} />
          </Group>
        )}
        {madeAt !== null && address === null && (
          <p style={{ margin: 0 }}>{t('profile.calendar.since', { day: instantText(madeAt) })}</p>
        )}
        <Group gap="xs">
          <Button variant="default" loading={make.pending} disabled={pending} onClick={() => void makeLink()}>
            {t(madeAt === null ? 'profile.calendar.make' : 'profile.calendar.again')}
          </Button>
          {madeAt !== null && (
            <Button
              variant="subtle"
              color="gray"
              loading={end.pending}
              disabled={pending}
              onClick={() => void endLink()}
            >
              {t('profile.calendar.end')}
            </Button>
          )}
        </Group>
      </Stack>
    </section>
  )
}
