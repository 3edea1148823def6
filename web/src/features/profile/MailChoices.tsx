import { Alert, Button, NativeSelect, Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { sessionQuery } from '../../api/account'
import { useAction } from '../../api/action'
import { myMailChoicesQuery, saveMailChoice, sendAddressLink, type MailChoice, type Way } from '../../api/mailChoices'
import type { MailChoices as Choices, Notice } from '../../api/types'
import { LANGUAGES, t } from '../../lib/messages'
import classes from './ProfileScreen.module.css'

type Kind = Notice['kind']

/** Kinds that a reader may refuse, most wanted first. */
const KINDS = [
  'hold-ready',
  'hold-expiring',
  'due-soon',
  'due-today',
  'overdue',
  'due-date-moved',
  'hold-lapsed',
  'hold-cancelled',
  'hold-put-back',
  'charged',
  'paid',
  'lent',
  'returned',
] as const satisfies readonly Kind[]

/** Form for mail preferences; renders nothing if the library sends no mails. */
export function MailChoices() {
  const hasMail = useQuery(sessionQuery).data?.mail === true
  const choices = useQuery({ ...myMailChoicesQuery, enabled: hasMail }).data
  return choices?.on === true ? <Form choices={choices} /> : null
}

function Form({ choices }: { choices: Choices }) {
  const { address, confirmed, phone, offered, canWait, refused, inDigest } = choices
  const save = useAction(saveMailChoice, {
    done: () => t('profile.mail.saved'),
    failed: (reason) => t('profile.mail.failed', { reason }),
  })
  const mailed = address !== null && confirmed ? t('profile.mail.lead', { address }) : null
  const lead = phone !== null ? t('profile.mail.leadPhone', { phone }) : mailed

  function waysOf(kind: Kind): Way[] {
    if (canWait.includes(kind)) return ['at-once', 'digest', 'off']
    return [inDigest.includes(kind) ? 'digest' : 'at-once', 'off']
  }

  function wayOf(kind: Kind): Way {
    if (refused.includes(kind)) return 'off'
    return inDigest.includes(kind) ? 'digest' : 'at-once'
  }

  /** Values that are chosen and not saved yet, by their field. A field stays enabled, so that it keeps the focus. */
  const [chosen, setChosen] = useState<ReadonlyMap<string, string>>(new Map())
  const saved = useRef<Promise<void>>(Promise.resolve())

  function choose(field: string, value: string, choice: MailChoice) {
    setChosen((now) => new Map(now).set(field, value))
    const before = saved.current
    saved.current = (async () => {
      await before
      await save.run(choice)
      setChosen((now) => new Map([...now].filter(([name, last]) => name !== field || last !== value)))
    })()
  }

  const rhythm = choices.weekly ? 'weekly' : 'daily'
  const language = choices.language ?? ''

  return (
    <section className={classes.part} aria-labelledby="mail">
      <Title order={2} id="mail">
        {t('profile.mail.title')}
      </Title>
      {address === null && phone === null ? (
        <p>{t('profile.mail.noAddress')}</p>
      ) : (
        <Stack mt="sm" gap="md">
          {address !== null && !confirmed && <Unconfirmed address={address} />}
          {lead !== null && <p style={{ margin: 0, overflowWrap: 'anywhere' }}>{lead}</p>}
          <div className={classes.mails} role="group" aria-label={t('profile.mail.kinds')}>
            {KINDS.filter((kind) => offered.includes(kind)).map((kind) => (
              <label key={kind}>
                <span>{t(`profile.mail.kind.${kind}`)}</span>
                <NativeSelect
                  value={chosen.get(kind) ?? wayOf(kind)}
                  data={waysOf(kind).map((way) => ({ value: way, label: t(`profile.mail.way.${way}`) }))}
                  onChange={(event) => {
                    const way = waysOf(kind).find((one) => one === event.currentTarget.value)
                    if (way) choose(kind, way, { kind, way })
                  }}
                />
              </label>
            ))}
          </div>
          <p className={classes.bounds}>
            {t('profile.mail.bounds')} {choices.toGuardian && t('profile.mail.guardian')}
          </p>
          <NativeSelect
            maw="20rem"
            label={t('profile.mail.rhythm')}
            value={chosen.get('rhythm') ?? rhythm}
            data={[
              { value: 'daily', label: t('profile.mail.rhythm.daily') },
              { value: 'weekly', label: t('profile.mail.rhythm.weekly') },
            ]}
            onChange={({ currentTarget: { value } }) => choose('rhythm', value, { weekly: value === 'weekly' })}
          />
          <NativeSelect
            maw="20rem"
            label={t('profile.mail.language')}
            value={chosen.get('language') ?? language}
            data={[
              { value: '', label: t('profile.mail.language.library') },
              ...Object.entries(LANGUAGES).map(([value, label]) => ({ value, label })),
            ]}
            onChange={({ currentTarget: { value } }) => choose('language', value, { language: value || null })}
          />
        </Stack>
      )}
    </section>
  )
}

/** Asks to confirm an address that the reader entered; a new link replaces one that is lost or expired. */
function Unconfirmed({ address }: { address: string }) {
  const link = useAction(sendAddressLink, {
    done: () => t('profile.mail.link.sent'),
    failed: (reason) => t('profile.mail.link.failed', { reason }),
  })
  return (
    <Alert color="yellow">
      <p style={{ margin: '0 0 0.75rem', overflowWrap: 'anywhere' }}>{t('profile.mail.unconfirmed', { address })}</p>
      <Button variant="default" loading={link.pending} onClick={() => void link.run(null)}>
        {t('profile.mail.link')}
      </Button>
    </Alert>
  )
}
