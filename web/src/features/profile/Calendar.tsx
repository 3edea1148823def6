import { Button, Group, Stack, TextInput, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useAction } from '../../api/action'
import { endCalendarLink, makeCalendarLink, myCalendarLinkQuery } from '../../api/calendarLink'
import { focusIsFree } from '../../lib/focus'
import { instantText } from '../../lib/format'
import { t } from '../../lib/messages'
import { ConfirmModal } from '../../ui/ConfirmModal'
import { Copy } from '../../ui/Copy'
import { useQuestion } from '../../ui/useQuestion'
import classes from './ProfileScreen.module.css'

const failed = (reason: string) => t('profile.calendar.failed', { reason })

/** The reader's secret link to their due dates, for a calendar program. */
export function Calendar() {
  const link = useQuery(myCalendarLinkQuery).data
  // The link itself, in focus, says that it was made: a notice would lie over its buttons.
  const make = useAction(makeCalendarLink, { failed })
  const end = useAction(endCalendarLink, { done: () => t('profile.calendar.ended'), failed })
  // The address is shown once, because the server stores only a hash.
  const [address, setAddress] = useState<string | null>(null)
  const { about: asked, opened, ask, close } = useQuestion<'again' | 'end'>()
  const maker = useRef<HTMLButtonElement>(null)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (address !== null && focusIsFree()) field.current?.focus()
  }, [address])
  const isEnded = end.succeeded && link?.madeAt === null
  // The pressed button goes with the link.
  useEffect(() => {
    if (isEnded && focusIsFree()) maker.current?.focus()
  }, [isEnded])
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
              ref={field}
              flex={1}
              readOnly
              dir="ltr"
              label={t('profile.calendar.address')}
              description={t('profile.calendar.once')}
              value={address}
              onFocus={(event) => event.currentTarget.select()}
            />
            <Copy text={address} shownIn={field} />
          </Group>
        )}
        {address !== null && (
          <div>
            {/* Calendar programs take links of this scheme; `http` would download the dates of today once. */}
            <Button component="a" href={address.replace(/^https?:/, 'webcal:')}>
              {t('profile.calendar.open')}
            </Button>
          </div>
        )}
        {madeAt !== null && address === null && (
          <p style={{ margin: 0 }}>{t('profile.calendar.since', { day: instantText(madeAt) })}</p>
        )}
        <Group gap="xs">
          <Button
            ref={maker}
            variant="default"
            loading={make.pending}
            disabled={pending}
            onClick={() => (madeAt === null ? void makeLink() : ask('again'))}
          >
            {t(madeAt === null ? 'profile.calendar.make' : 'profile.calendar.again')}
          </Button>
          {madeAt !== null && (
            <Button variant="subtle" color="gray" loading={end.pending} disabled={pending} onClick={() => ask('end')}>
              {t('profile.calendar.end')}
            </Button>
          )}
        </Group>
      </Stack>
      <ConfirmModal
        opened={opened}
        title={t(asked === 'end' ? 'profile.calendar.ask.end' : 'profile.calendar.ask.again')}
        confirm={t(asked === 'end' ? 'profile.calendar.end' : 'profile.calendar.again')}
        onConfirm={() => {
          void (asked === 'end' ? endLink() : makeLink())
          close()
        }}
        onClose={close}
      >
        {t('profile.calendar.ask.what')}
      </ConfirmModal>
    </section>
  )
}
