import { useSearchParams } from 'react-router'
import { t } from '../../lib/messages'
import { PageHeader, Tabs } from '../../ui/PageHeader'
import { BatchesTab } from './BatchesTab'
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
      <Tabs label={t('labels.parts')} names={NAMES} open={tab} textOf={(name) => t(`labels.tab.${name}`)} />
      <Tab />
    </>
  )
}
