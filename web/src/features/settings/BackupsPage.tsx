import { Alert, Anchor, Button, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useAction } from '../../api/action'
import { backupFile, backupsQuery, makeBackup } from '../../api/backups'
import { configQuery } from '../../api/config'
import type { BackupList, KeptBackup } from '../../api/types'
import { dayIn, timeText } from '../../lib/format'
import { t } from '../../lib/messages'
import { notify } from '../../lib/notify'
import { messageOf } from '../../lib/problem'
import { EmptyState } from '../../ui/EmptyState'
import { ListState } from '../../ui/ListState'
import { ResponsiveTable } from '../../ui/ResponsiveTable'
import classes from './Backups.module.css'

const FOLDER = 'LIBRARY_BACKUP_FOLDER=/var/lib/library/backups'
const DUMP = 'pg_dump --format=custom --file=library-$(date +%F).dump "$LIBRARY_DATABASE"'
const STOP = 'systemctl stop library'
const START = 'systemctl start library'

/** Backups of the library: the stored ones, a button to make one, and instructions for a restore. */
export function BackupsPage() {
  const query = useQuery(backupsQuery)
  const zone = useQuery(configQuery).data?.timeZone
  return (
    <ListState query={{ ...query, data: zone === undefined ? undefined : query.data }} lines={5}>
      {(found) =>
        found.postgres ? (
          <Explained
            title={t('settings.backups.postgres.title')}
            what={t('settings.backups.postgres.what')}
            code={DUMP}
          />
        ) : found.plan === null ? (
          <Explained title={t('settings.backups.off.title')} what={t('settings.backups.off.what')} code={FOLDER} />
        ) : (
          <Backups found={found} plan={found.plan} zone={zone ?? 'UTC'} />
        )
      }
    </ListState>
  )
}

function Explained({ title, what, code }: { title: string; what: string; code: string }) {
  return (
    <section aria-labelledby="backups">
      <Title order={2} size="h4" id="backups">
        {title}
      </Title>
      <p className={classes.lead}>{what}</p>
      <Command line={code} />
    </section>
  )
}

const Command = ({ line }: { line: string }) => (
  <pre dir="ltr" className={classes.command}>
    <code>{line}</code>
  </pre>
)

type BackupsProps = { found: BackupList; plan: NonNullable<BackupList['plan']>; zone: string }

function Backups({ found: { backups, running, failure, mayDownload }, plan, zone }: BackupsProps) {
  const make = useAction(makeBackup)
  const good = backups.find(({ state }) => state === 'verified')
  const moment = ({ madeAt }: KeptBackup) => ({ day: dayIn(madeAt, zone), time: timeText(madeAt, zone) })
  useResult(running, failure)

  return (
    <>
      <p className={classes.lead}>{t('settings.backups.plan', { ...plan, at: plan.at.slice(0, 5) })}</p>
      {failure !== null && (
        <Alert color="red" role="alert" mt="md">
          {t('settings.backups.failed', { reason: failure })}
        </Alert>
      )}
      {make.error !== null && (
        <Alert color="red" role="alert" mt="md">
          {messageOf(make.error)}
        </Alert>
      )}
      <div className={classes.now}>
        <Button loading={make.pending || running} onClick={() => void make.run(null)}>
          {t('settings.backups.make')}
        </Button>
        <span role="status">
          {running
            ? t('settings.backups.making')
            : good
              ? t('settings.backups.lastGood', moment(good))
              : t('settings.backups.noneGood')}
        </span>
      </div>
      {backups.length === 0 ? (
        <EmptyState message={t('settings.backups.none')} />
      ) : (
        <ResponsiveTable<KeptBackup>
          label={t('settings.backups.listLabel')}
          dense
          rows={backups}
          keyOf={({ name }) => name}
          columns={[
            {
              title: t('settings.backups.madeAt'),
              cell: (backup) => (
                <time dateTime={backup.madeAt} className="tabular">
                  {moment(backup).day}, {moment(backup).time}
                </time>
              ),
            },
            {
              title: t('settings.backups.occasion'),
              cell: ({ occasion }) =>
                t(`settings.backups.occasion.${occasion as 'daily' | 'by-hand' | 'before-update'}`),
            },
            {
              title: t('settings.backups.state'),
              cell: ({ state }) => (
                <span data-state={state} className={classes.state}>
                  {t(`settings.backups.state.${state as 'verified' | 'damaged' | 'unchecked' | 'unknown'}`)}
                </span>
              ),
            },
            {
              title: t('settings.backups.size'),
              align: 'end',
              cell: ({ bytes }) =>
                t('settings.backups.megabytes', { size: Math.max(0.1, Math.round(bytes / 1e5) / 10) }),
            },
            {
              title: t('settings.backups.contents'),
              cell: ({ books, copies, people }) =>
                books === null || copies === null || people === null
                  ? t('settings.backups.untold')
                  : t('settings.backups.inside', { books, copies, people }),
            },
            ...(mayDownload
              ? [
                  {
                    title: t('settings.backups.actions'),
                    bare: true,
                    cell: (backup: KeptBackup) => (
                      <Anchor
                        href={backupFile(backup.name)}
                        download
                        fz="inherit"
                        aria-label={t('settings.backups.downloadNamed', moment(backup))}
                      >
                        {t('settings.backups.download')}
                      </Anchor>
                    ),
                  },
                ]
              : []),
          ]}
        />
      )}
      <Text size="sm" c="dimmed" mt="sm" maw="66ch">
        {mayDownload ? t('settings.backups.care') : t('settings.backups.mayNot')}
      </Text>
      <WayBack example={`${plan.folder}/${(good ?? backups[0])?.name ?? 'library-2026-11-30.db'}`} />
    </>
  )
}

/** Shows a notice when the running backup has succeeded. */
function useResult(running: boolean, failure: string | null) {
  const was = useRef(running)
  useEffect(() => {
    if (was.current && !running && failure === null) notify.success(t('settings.backups.made'))
    was.current = running
  }, [running, failure])
}

function WayBack({ example }: { example: string }) {
  return (
    <section aria-labelledby="way-back" className={classes.wayBack}>
      <Title order={2} size="h4" id="way-back">
        {t('settings.backups.restore.title')}
      </Title>
      <p className={classes.lead}>{t('settings.backups.restore.lead')}</p>
      <ol className={classes.steps}>
        <li>
          {t('settings.backups.restore.stop')}
          <Command line={STOP} />
        </li>
        <li>
          {t('settings.backups.restore.run')}
          <Command line={`cd /var/lib/library && library restore ${example}`} />
        </li>
        <li>
          {t('settings.backups.restore.start')}
          <Command line={START} />
        </li>
      </ol>
    </section>
  )
}
