import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Printer } from 'lucide-react'
import { Link, useParams } from 'react-router'
import { configQuery, useLibraryName } from '../../api/config'
import { closingQuery } from '../../api/till'
import type { Closing } from '../../api/types'
import { dayIn, timeText } from '../../lib/format'
import { t } from '../../lib/messages'
import { idOf } from '../../lib/paths'
import { Sheet } from '../../print/Sheet'
import { paths } from '../../screens'
import { Money } from '../../ui/Facts'
import { ListState } from '../../ui/ListState'
import { PageHeader } from '../../ui/PageHeader'
import { differenceText } from './CloseDay'
import classes from './Till.module.css'
import { TillFacts } from './TillFacts'

/** A closing of the till, printed on one page with lines for two signatures. */
export function ClosingPaper() {
  const number = idOf(useParams()['id']) ?? 0
  const query = useQuery(closingQuery(number))
  const config = useQuery(configQuery)
  const timeZone = config.data?.timeZone
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
      <ListState query={{ ...query, data: timeZone ? query.data : undefined }} lines={8}>
        {(closing) => <Paper closing={closing} timeZone={timeZone ?? 'UTC'} />}
      </ListState>
    </>
  )
}

function Paper({ closing, timeZone }: { closing: Closing; timeZone: string }) {
  const library = useLibraryName()
  const { number, at, by, counted, difference, note } = closing
  return (
    <Sheet paper="page" className={classes.paper} label={t('money.closing.title', { number })}>
      <p className={classes.library} dir="auto">
        {library || 'My Library'}
      </p>
      <h2>{t('money.closing.title', { number })}</h2>
      <p dir="auto">
        <time dateTime={at}>
          {dayIn(at, timeZone)}, {timeText(at, timeZone)}
        </time>
        {' · '}
        {t('money.closing.by', { name: by })}
      </p>
      <TillFacts of={closing} />
      <dl className={classes.facts}>
        <div>
          <dt>{t('money.close.counted')}</dt>
          <dd>
            <Money amount={counted} />
          </dd>
        </div>
        <div className={classes.sum}>
          <dt>{t('money.close.difference')}</dt>
          <dd>{differenceText(difference)}</dd>
        </div>
      </dl>
      {note !== '' && <p dir="auto">{t('money.closing.note', { note })}</p>}
      <div className={classes.signatures}>
        <p>{t('money.closing.librarian')}</p>
        <p>{t('money.closing.checked')}</p>
      </div>
    </Sheet>
  )
}
