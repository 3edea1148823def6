import { Link, useSearchParams } from 'react-router'
import { t } from '../../lib/messages'
import { PageHeader } from '../../ui/PageHeader'
import { BatchesTab } from './BatchesTab'
import classes from './Labels.module.css'
import { LabelsTab } from './LabelsTab'
import { SheetsTab } from './SheetsTab'

export { CardsDialog } from './CardsDialog'

const TABS = { print: LabelsTab, batches: BatchesTab, sheets: SheetsTab }
const NAMES = Object.keys(TABS) as (keyof typeof TABS)[]

/** Labels of copies on sheets and rolls, printed batches, and sheets (R-COPY-3). */
export default function LabelsScreen() {
  const [params] = useSearchParams()
  const asked = params.get('tab')
  const tab = NAMES.find((name) => name === asked) ?? 'print'
  const Tab = TABS[tab]
  return (
    <>
      <PageHeader title={t('labels.title')} />
      <nav aria-label={t('labels.parts')} className={classes.tabs}>
        {NAMES.map((name) => (
          <Link
            key={name}
            to={{ search: name === 'print' ? '' : `tab=${name}` }}
            replace
            aria-current={name === tab ? 'page' : undefined}
          >
            {t(`labels.tab.${name}`)}
          </Link>
        ))}
      </nav>
      <Tab />
    </>
  )
}
