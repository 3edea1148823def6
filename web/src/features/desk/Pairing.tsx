import { Alert, Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Smartphone } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import { useAction } from '../../api/action'
import { configQuery } from '../../api/config'
import { pairPhone, unpairPhone } from '../../api/phones'
import type { PairedPhone } from '../../api/types'
import type { usePhones } from '../../counter/usePhones'
import { timeText } from '../../lib/format'
import { rich, t } from '../../lib/messages'
import { isThisMachine } from '../../lib/thisMachine'
import { QrCode } from '../../print/QrCode'
import classes from './Phones.module.css'

type Shown = { id: number; address: string }

type PairingProps = { phones: ReturnType<typeof usePhones> }

/** Shows a code for a phone, and the phones of all desks. */
export default function Pairing({ phones: { name, own, others, elsewhere, here } }: PairingProps) {
  const [code, setCode] = useState<Shown | null>(null)
  const pair = useAction(pairPhone, { failed: (reason) => reason })
  const button = useRef<HTMLButtonElement>(null)
  // The window opens before this part has loaded, so the window could focus only its ×.
  useEffect(() => button.current?.focus(), [])
  const phone = own.find(({ id }) => id === code?.id)
  // The code is shown until a phone uses it, or until it expires and leaves the list.
  const open = code && (!phone || phone.openedAt === null) ? code : null

  async function showCode() {
    const outcome = await pair.run(name)
    if (!outcome.ok) return
    await outcome.refreshed
    setCode(outcome.output)
  }

  return (
    <div className={classes.pairing}>
      {elsewhere && (
        <Alert color="yellow" title={t('desk.phones.elsewhere')}>
          <Button variant="default" size="sm" onClick={here}>
            {t('desk.phones.here')}
          </Button>
        </Alert>
      )}
      <Text>{t('desk.phones.what')}</Text>
      {open && phone ? (
        <Code address={open.address} />
      ) : (
        <Button ref={button} loading={pair.pending} onClick={() => void showCode()}>
          {own.length === 0 ? t('desk.phones.show') : t('desk.phones.another')}
        </Button>
      )}
      <List label={t('desk.phones.own')} phones={own.filter(({ openedAt }) => openedAt !== null)} />
      <List label={t('desk.phones.others')} phones={others.filter(({ openedAt }) => openedAt !== null)} />
    </div>
  )
}

/** Returns a warning if phones cannot reach this address, or may not use their camera on it. */
function findAddressProblem({ protocol, hostname }: URL): string | null {
  if (isThisMachine(hostname)) return t('desk.phones.thisMachine')
  return protocol === 'https:' ? null : t('desk.phones.insecure')
}

function Code({ address }: { address: string }) {
  const url = new URL(address)
  const problem = findAddressProblem(url)
  return (
    <>
      {problem !== null && <Alert color="yellow">{problem}</Alert>}
      <QrCode text={address} label={t('desk.phones.code')} large />
      <Text role="status">{t('desk.phones.scanCode')}</Text>
      <Text size="sm" c="dimmed">
        {rich('desk.phones.address', { address: () => <bdi>{url.host + url.pathname}</bdi> })}
      </Text>
    </>
  )
}

function List({ label, phones }: { label: string; phones: readonly PairedPhone[] }) {
  const id = useId()
  const unpair = useAction(unpairPhone, { failed: (reason) => reason })
  const timeZone = useQuery(configQuery).data?.timeZone ?? 'UTC'
  if (phones.length === 0) return null
  return (
    <section aria-labelledby={id}>
      <h3 id={id} className={classes.label}>
        {label}
      </h3>
      <ul className={classes.list}>
        {phones.map((phone, index) => {
          const times = {
            from: timeText(phone.openedAt ?? phone.expiresAt, timeZone),
            to: timeText(phone.expiresAt, timeZone),
          }
          return (
            <li key={phone.id}>
              <Smartphone aria-hidden />
              <span>
                {t('desk.phones.one', { number: index + 1 })}
                <Text span size="sm" c="dimmed" className={classes.times}>
                  {t('desk.phones.times', times)}
                </Text>
                {phone.refusedAt !== null && (
                  <Text span size="sm" className={classes.times}>
                    {t('desk.phones.refused', { time: timeText(phone.refusedAt, timeZone) })}
                  </Text>
                )}
              </span>
              <Button
                variant="default"
                size="sm"
                aria-label={t('desk.phones.disconnectOne', { number: index + 1 })}
                onClick={() => void unpair.run(phone.id)}
              >
                {t('desk.phones.disconnect')}
              </Button>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
