import { Anchor } from '@mantine/core'
import type { ReactNode } from 'react'
import { useMay } from '../../api/account'
import type { Person } from '../../api/types'
import { labelOf } from '../../api/validate'
import { photoOf } from '../../lib/photoOf'
import { t } from '../../lib/messages'
import { DateText } from '../../ui/Facts'
import { TakeMoney } from '../money'
import classes from './PersonScreen.module.css'
import { PersonBadges } from './PersonBadges'

/** A person's loans and dues, roll number, contact, class and validity. */
export function PersonFacts({ person, today }: { person: Person; today: string }) {
  const { uid, name, openLoans, owes, rollNumber, email, department, batch, category, validUntil, barred } = person
  const { phone, guardianEmail, guardianPhone } = person
  const mayTake = useMay('desk')
  const photo = photoOf(person)
  return (
    <>
      <p className={classes.badges}>
        <PersonBadges person={person} today={today} />
      </p>
      <div className={classes.sums}>
        <span>{t('people.sums.books', { count: openLoans })}</span>
        <span data-owed={owes > 0 || undefined}>{t('people.sums.owes', { amount: owes })}</span>
        {mayTake && <TakeMoney uid={uid} name={name} shown={owes > 0} />}
      </div>
      <div className={classes.withPhoto}>
        {photo !== null && (
          <div className={classes.photo}>
            <img src={photo} alt={t('people.photo.of', { name })} />
          </div>
        )}
        <dl className={classes.facts}>
          <Fact name={t('people.column.rollNumber')}>{rollNumber}</Fact>
          <Fact name={t('people.fact.email')}>
            {email !== null && (
              <Anchor href={`mailto:${email}`} fz="inherit">
                {email}
              </Anchor>
            )}
          </Fact>
          {phone && (
            <Fact name={labelOf('PersonForm', 'phone')}>
              <Phone number={phone} />
            </Fact>
          )}
          <Fact name={t('people.column.department')}>{department}</Fact>
          <Fact name={t('people.column.batch')}>{batch}</Fact>
          <Fact name={t('people.fact.category')}>{category}</Fact>
          {validUntil !== null && (
            <Fact name={t('people.fact.validUntil')}>
              <DateText day={validUntil} />
            </Fact>
          )}
          {(guardianEmail ?? guardianPhone) && (
            <Fact name={t('people.fact.guardian')}>
              {guardianEmail && (
                <Anchor href={`mailto:${guardianEmail}`} fz="inherit" display="block">
                  {guardianEmail}
                </Anchor>
              )}
              {guardianPhone && <Phone number={guardianPhone} />}
            </Fact>
          )}
          {barred !== null && (
            <Fact name={t('people.fact.barred')}>
              {t('people.fact.barredWhy', { day: barred.until, reason: barred.reason })}
            </Fact>
          )}
        </dl>
      </div>
    </>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd dir="auto">{children || '–'}</dd>
    </div>
  )
}

const Phone = ({ number }: { number: string }) => (
  <Anchor href={`tel:${number.replace(/[^+\d]/g, '')}`} fz="inherit" dir="ltr">
    {number}
  </Anchor>
)
