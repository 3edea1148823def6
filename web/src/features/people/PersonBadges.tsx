import { Badge } from '@mantine/core'
import type { Person } from '../../api/types'
import { t } from '../../lib/messages'

/** Badges for a librarian, and for an inactive, expired or barred person; nothing for most people. */
export function PersonBadges({ person, today }: { person: Person; today: string }) {
  const { role, active, validUntil, barred } = person
  return (
    <>
      {role === 'admin' && <Badge variant="default">{t('people.badge.librarian')}</Badge>}
      {!active && <Badge color="gray">{t('people.badge.inactive')}</Badge>}
      {active && validUntil !== null && validUntil < today && (
        <Badge color="red">{t('people.badge.expired', { day: validUntil })}</Badge>
      )}
      {barred !== null && barred.until >= today && (
        <Badge color="red">{t('people.badge.barred', { day: barred.until })}</Badge>
      )}
    </>
  )
}
