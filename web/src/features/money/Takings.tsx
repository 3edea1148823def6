import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { takingsQuery } from '../../api/money'
import { t } from '../../lib/messages'
import { Money } from '../../ui/Facts'
import { ListState } from '../../ui/ListState'
import classes from './MoneyScreen.module.css'

/** Money taken today, this week and this month, each with a link to its lines (R-MONEY-6). */
export function Takings() {
  const query = useQuery(takingsQuery)
  return (
    <section aria-label={t('money.takings.title')} className={classes.takings}>
      <ListState query={query} lines={1}>
        {(takings) => (
          <dl>
            {(['today', 'week', 'month'] as const).map((of) => {
              const { amount, from, to } = takings[of]
              return (
                <div key={of} data-first={of === 'today' || undefined}>
                  <dt>{t(`money.takings.${of}`)}</dt>
                  <dd>
                    <Link
                      to={{ search: `from=${from}&to=${to}`, hash: 'lines' }}
                      aria-label={t(`money.takings.${of}Named`, { amount })}
                    >
                      <Money amount={amount} />
                    </Link>
                  </dd>
                </div>
              )
            })}
          </dl>
        )}
      </ListState>
    </section>
  )
}
