import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Printer } from 'lucide-react'
import { Link, useParams } from 'react-router'
import { configQuery } from '../../api/config'
import { closingQuery } from '../../api/till'
import { t } from '../../lib/messages'
import { idOf } from '../../lib/paths'
import { paths } from '../../screens'
import { ListState } from '../../ui/ListState'
import { PageHeader } from '../../ui/PageHeader'
import { ClosingSheet } from './ClosingSheet'
import classes from './Till.module.css'

/** A closing of the till, printed on one page with lines for two signatures. */
export function ClosingPaper() {
  const number = idOf(useParams()['id']) ?? 0
  const query = useQuery(closingQuery(number))
  const config = useQuery(configQuery)
  return (
    <>
      <PageHeader
        title={t('money.closing.title', { number })}
        actions={
          <div className={classes.actions}>
            <Button component={Link} to={paths.closings()} variant="default">
              {t('money.closings.title')}
            </Button>
            <Button leftSection={<Printer data-size="18" aria-hidden />} onClick={() => print()}>
              {t('desk.today.print')}
            </Button>
          </div>
        }
      />
      <ListState query={{ ...query, data: config.data ? query.data : undefined }} lines={8}>
        {(closing) => <ClosingSheet closing={closing} />}
      </ListState>
    </>
  )
}
