import { Alert, Anchor, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { useMay } from '../../api/account'
import { failedMailsQuery } from '../../api/people'
import { momentText } from '../../lib/format'
import { t, translateMessage } from '../../lib/messages'
import { paths } from '../../screens'

/** The person's last failed mails with their reasons; nothing if there are none. */
export function FailedMails({ uid }: { uid: number }) {
  const may = useMay('people')
  const failed = useQuery({ ...failedMailsQuery(uid), enabled: may }).data?.mails ?? []
  if (failed.length === 0) return null
  return (
    <Alert color="orange" mb="lg" role="note">
      {failed.map(({ id, subject, address, endedAt, createdAt, reason }) => (
        <Text key={id} inherit dir="auto">
          {t('mails.failedTo', { subject, address, at: momentText(endedAt ?? createdAt) })}{' '}
          {reason && translateMessage(reason)}
        </Text>
      ))}
      <Anchor component={Link} to={`${paths.mails()}?state=failed`} fz="inherit" c="inherit" underline="always">
        {t('mails.all')}
      </Anchor>
    </Alert>
  )
}
