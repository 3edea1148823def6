import { Anchor } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Person } from '../../api/types'
import { t } from '../../lib/messages'
import { DateText } from '../../ui/Facts'
import classes from './PersonScreen.module.css'
import { Standing } from './Standing'

/** Details of a person. */
export function PersonFacts({ person, today }: { person: Person; today: string }) {
  const { rollNumber, email, department, batch, category, validUntil, barred } = person
  return (
    <>
      <p className={classes.badges}>
        <Standing person={person} today={today} />
      </p>
      <dl className={classes.facts}>
        <Fact name={t('people.column.rollNumber')}>{rollNumber}</Fact>
        <Fact name={t('people.fact.email')}>
          {email !== null && (
            <Anchor href={`mailto:${email}`} fz="inherit">
              {email}
            </Anchor>
          )}
        </Fact>
        <Fact name={t('people.column.department')}>{department}</Fact>
        <Fact name={t('people.column.batch')}>{batch}</Fact>
        <Fact name={t('people.fact.category')}>{category}</Fact>
        {validUntil !== null && (
          <Fact name={t('people.fact.validUntil')}>
            <DateText day={validUntil} />
          </Fact>
        )}
        {barred !== null && (
          <Fact name={t('people.fact.barred')}>
            {t('people.fact.barredWhy', { day: barred.until, reason: barred.reason })}
          </Fact>
        )}
      </dl>
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
