import { Alert, Button, NativeSelect, Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { sessionQuery } from '../../api/account'
import { useAction } from '../../api/action'
import { myMailChoicesQuery, saveMailChoices, sendAddressLink } from '../../api/mailChoices'
import type { MailChoices as Choices, Notice } from '../../api/types'
import { LANGUAGES, t } from '../../lib/messages'
import classes from './ProfileScreen.module.css'

type Kind = Notice['kind']

/** Ways in which notices of a kind come. */
type Way = 'at-once' | 'digest' | 'off'

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
  const { address, confirmed, phone, language, offered, canWait, refused, inDigest, weekly } = choices
  const save = useAction(saveMailChoices, {
    done: () => t('profile.mail.saved'),
    failed: (reason) => t('profile.mail.failed', { reason }),
  })
  const mailed = address !== null && confirmed ? t('profile.mail.lead', { address }) : null
  const lead = phone !== null ? t('profile.mail.leadPhone', { phone }) : mailed
  const kept = { language, refused, inDigest, weekly }

  function waysOf(kind: Kind): Way[] {
    if (canWait.includes(kind)) return ['at-once', 'digest', 'off']
    return [inDigest.includes(kind) ? 'digest' : 'at-once', 'off']
  }

  function wayOf(kind: Kind): Way {
    if (refused.includes(kind)) return 'off'
    return inDigest.includes(kind) ? 'digest' : 'at-once'
  }

  function choose(kind: Kind, way: Way) {
    const without = (kinds: readonly Kind[]) => kinds.filter((one) => one !== kind)
    void save.run({
      ...kept,
      refused: way === 'off' ? [...refused, kind] : without(refused),
      // A kind that is turned off keeps its way for the day on which it is turned on again.
      inDigest: { 'at-once': without(inDigest), digest: [...without(inDigest), kind], off: inDigest }[way],
    })
  }

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
                  value={wayOf(kind)}
                  disabled={save.pending}
                  data={waysOf(kind).map((way) => ({ value: way, label: t(`profile.mail.way.${way}`) }))}
                  onChange={(event) => {
                    const way = waysOf(kind).find((one) => one === event.currentTarget.value)
                    if (way) choose(kind, way)
                  }}
                />
              </label>
            ))}
          </div>
          <NativeSelect
            maw="20rem"
            label={t('profile.mail.rhythm')}
            value={weekly ? 'weekly' : 'daily'}
            disabled={save.pending}
            data={[
              { value: 'daily', label: t('profile.mail.rhythm.daily') },
              { value: 'weekly', label: t('profile.mail.rhythm.weekly') },
            ]}
            onChange={(event) => void save.run({ ...kept, weekly: event.currentTarget.value === 'weekly' })}
          />
          <NativeSelect
            maw="20rem"
            label={t('profile.mail.language')}
            value={language ?? ''}
            disabled={save.pending}
            data={[
              { value: '', label: t('profile.mail.language.library') },
              ...Object.entries(LANGUAGES).map(([value, label]) => ({ value, label })),
            ]}
            onChange={(event) => void save.run({ ...kept, language: event.currentTarget.value || null })}
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
