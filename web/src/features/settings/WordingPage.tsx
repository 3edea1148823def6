import { NativeSelect, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'react-router'
import { wordedMailsQuery, wordingsQuery } from '../../api/wordings'
import { t } from '../../lib/messages'
import { ErrorState } from '../../ui/ErrorState'
import { Loaded } from './Loaded'
import classes from './Settings.module.css'
import { WordingForm } from './WordingForm'

/** Kinds of mails with a name of their own; other mails have the name of their notice. */
const OWN_NAMES = new Set([
  'digest',
  'guardian-digest',
  'welcome',
  'password-link',
  'password-changed',
  'address-link',
  'sign-in-changed',
  'new-device',
])

const nameOf = (kind: string) =>
  t(`settings.${OWN_NAMES.has(kind) ? 'wording' : 'notices'}.kind.${kind}` as 'settings.notices.kind.lent')

/** Page of the mails' wordings. */
export function WordingPage() {
  const [params, setParams] = useSearchParams()
  const asked = params.get('mail') ?? 'digest'
  const { data, error, refetch } = useQuery(wordedMailsQuery)
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />
  const mail = data?.mails.find(({ kind }) => kind === asked) ?? data?.mails[0]
  if (!data || !mail) return <Skeleton height={240} aria-hidden="true" />
  const { kind } = mail
  return (
    <>
      <p className={classes.lead}>{t('settings.wording.lead')}</p>
      <div className={classes.group}>
        <NativeSelect
          label={t('settings.wording.kind')}
          className={classes.short}
          value={kind}
          data={data.mails.map((one) => ({ value: one.kind, label: nameOf(one.kind) }))}
          onChange={(event) => setParams({ tab: 'wording', mail: event.currentTarget.value }, { replace: true })}
        />
      </div>
      <Loaded key={kind} query={wordingsQuery(kind)}>
        {(part) => <WordingForm {...part} mail={mail} isOn={data.on} name={nameOf(kind)} />}
      </Loaded>
    </>
  )
}
