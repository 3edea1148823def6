import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useAction } from '../../api/action'
import { usePrintedName } from '../../api/config'
import { issueNoDues } from '../../api/people'
import type { NoDues, Person } from '../../api/types'
import { t } from '../../lib/messages'
import { Sheet } from '../../print/Sheet'
import { BarcodeSymbol } from '../../print/BarcodeSymbol'
import { qrCode } from '../../print/symbol'
import { BASE_PATH } from '../../lib/paths'
import { paths } from '../../screens'
import { messageOf, ProblemError } from '../../lib/problem'
import { DateText } from '../../ui/Facts'
import { Dialog } from '../../ui/Dialog'
import classes from './NoDues.module.css'

/** A printable no-dues certificate, which can be checked by its number or QR code (R-PEOPLE-7). */
export function NoDuesDialog({ person, onClose }: { person: Person; onClose: () => void }) {
  const issue = useAction(issueNoDues)
  const [issued, setIssued] = useState<NoDues | null>(null)

  async function run(cancelHolds: boolean) {
    const outcome = await issue.run({ uid: person.uid, ...(cancelHolds && { cancelHolds }) })
    if (outcome.ok) setIssued(outcome.output)
  }

  const holds = onlyHolds(issue.error)
  return (
    <Dialog onClose={onClose} title={t('people.noDues.title')} size="lg">
      {issued === null ? (
        <Stack>
          <Text>{t('people.noDues.what', { name: person.name })}</Text>
          {issue.error !== null && (
            <Alert color="red" role="alert">
              {messageOf(issue.error)}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button data-autofocus loading={issue.pending} onClick={() => void run(holds > 0)}>
              {holds > 0 ? t('people.noDues.cancelHolds', { count: holds }) : t('people.noDues.issue')}
            </Button>
          </Group>
        </Stack>
      ) : (
        <Stack>
          <Certificate certificate={issued} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.close')}
            </Button>
            <Button data-autofocus onClick={() => window.print()}>
              {t('people.print')}
            </Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  )
}

/** Returns the number of reservations if nothing else is open; otherwise 0. */
function onlyHolds(error: unknown): number {
  const open = error instanceof ProblemError ? error.reasons[0]?.facts : undefined
  return open && [open['books'], open['unseen'], open['owes']].every((count) => count === 0) ? Number(open['holds']) : 0
}

/** Printed form of a certificate. */
export function Certificate({ certificate, className = '' }: { certificate: NoDues; className?: string }) {
  const library = usePrintedName()
  const { number, issuedOn } = certificate
  const address = `${location.origin}${BASE_PATH}${paths.noDues(number)}`
  return (
    <Sheet paper="page" className={`${classes.paper} ${className}`} label={t('people.noDues.title')}>
      <p className={classes.library} dir="auto">
        {library}
      </p>
      <h3>{t('people.noDues.title')}</h3>
      <p dir="auto">{t('people.noDues.sentence', { name: whoIs(certificate) })}</p>
      <p>
        <DateText day={issuedOn} />
      </p>
      <BarcodeSymbol symbol={qrCode(address)} label={t('people.noDues.qr')} className={classes.dots} />
      <p className={classes.number}>{number}</p>
      <p className={classes.address}>{t('people.noDues.check', { address })}</p>
      <p className={classes.signatures}>
        <span>{t('people.noDues.signature')}</span>
        <span>{t('people.noDues.stamp')}</span>
      </p>
    </Sheet>
  )
}

const whoIs = ({ name, rollNumber, department, batch }: NoDues): string =>
  [name, rollNumber, department, batch].filter(Boolean).join(', ')
