import { useQuery } from '@tanstack/react-query'
import { configQuery, usePrintedName } from '../../api/config'
import type { Closing } from '../../api/types'
import { momentText } from '../../lib/format'
import { t } from '../../lib/messages'
import { Sheet } from '../../print/Sheet'
import { Money } from '../../ui/Facts'
import { differenceText } from './differenceText'
import classes from './Till.module.css'
import { TillFacts } from './TillFacts'

/** A closing of the till on one page, with lines for two signatures. */
export function ClosingSheet({ closing }: { closing: Closing }) {
  const library = usePrintedName()
  const timeZone = useQuery(configQuery).data?.timeZone ?? 'UTC'
  const { number, at, by, opening, counted, difference, note } = closing
  return (
    <Sheet paper="page" className={classes.paper} label={t('money.closing.title', { number })}>
      <p className={classes.library} dir="auto">
        {library}
      </p>
      <h2>{t('money.closing.title', { number })}</h2>
      <p dir="auto">
        <time dateTime={at}>{momentText(at, timeZone)}</time>
        {' · '}
        {t('money.closing.by', { name: by })}
      </p>
      <TillFacts of={closing} opening={opening} />
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
