import { Alert, Anchor, Button, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import { Link } from 'react-router'
import { mailPlanQuery } from '../../api/mails'
import { dayText, hourText } from '../../lib/format'
import { t, translateMessage } from '../../lib/messages'
import { paths } from '../../screens'
import { ListState } from '../../ui/ListState'

/** Preview of tomorrow's reminders, loaded when a librarian opens it. */
export function Tomorrow() {
  const [open, setOpen] = useState(false)
  return (
    <section aria-label={t('mails.tomorrow.title')}>
      <Button variant="default" mb="md" aria-expanded={open} onClick={() => setOpen(!open)}>
        {t(open ? 'mails.tomorrow.hide' : 'mails.tomorrow.show')}
      </Button>
      {open && <Plan />}
    </section>
  )
}

function Plan() {
  const query = useQuery(mailPlanQuery)
  return (
    <ListState query={query} lines={3}>
      {({ day, hour, byMail, count, withoutAddress, unreachable, first }) => (
        <>
          <Title order={2} fz="lg">
            {t('mails.tomorrow.when', { day: dayText(day), hour: hourText(hour) })}
          </Title>
          {!byMail && (
            <Alert color="gray" my="sm">
              {t('mails.tomorrow.off')}
            </Alert>
          )}
          <Text my="sm">
            {t('mails.tomorrow.count', { count })}{' '}
            {withoutAddress > 0 && t('mails.tomorrow.withoutAddress', { count: withoutAddress })}
          </Text>
          {unreachable.length > 0 && (
            <Text my="sm" size="sm">
              {t('mails.tomorrow.unreachable')}{' '}
              {unreachable.map(({ person, name }, index) => (
                <Fragment key={person}>
                  {index > 0 && ', '}
                  <Anchor component={Link} to={paths.person(person)} dir="auto" fz="inherit">
                    {name}
                  </Anchor>
                </Fragment>
              ))}
              {withoutAddress > unreachable.length && '…'}
            </Text>
          )}
          <ul style={{ paddingInlineStart: '1.25rem' }}>
            {first.map(({ person, name, toGuardian, channel, address, lines }) => (
              <li key={`${person} ${toGuardian}`} style={{ marginBottom: '0.75rem' }}>
                <Anchor component={Link} to={paths.person(person)} dir="auto">
                  {name}
                </Anchor>{' '}
                <Text component="span" size="sm" c="dimmed" dir="ltr" style={{ overflowWrap: 'anywhere' }}>
                  {address}
                </Text>
                {toGuardian && (
                  <Text component="span" size="sm" c="dimmed">
                    {' '}
                    {t('mails.tomorrow.toGuardian')}
                  </Text>
                )}
                {channel === 'text' && (
                  <Text component="span" size="sm" c="dimmed">
                    {' · '}
                    {t('mails.byText')}
                  </Text>
                )}
                <Text size="sm" dir="auto">
                  {lines.map(translateMessage).join(' ')}
                </Text>
              </li>
            ))}
          </ul>
          {count > first.length && <Text mb="lg">{t('mails.tomorrow.more', { count: count - first.length })}</Text>}
        </>
      )}
    </ListState>
  )
}
