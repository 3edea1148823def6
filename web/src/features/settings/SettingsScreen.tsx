import { useSearchParams } from 'react-router'
import { calendarQuery, libraryQuery, noticesQuery, rulesQuery } from '../../api/settings'
import { t } from '../../lib/messages'
import { PageHeader, Tabs } from '../../ui/PageHeader'
import { BackupsPage } from './BackupsPage'
import { CalendarForm } from './CalendarForm'
import { DocumentForm } from './DocumentForm'
import { LIBRARY } from './documents'
import { LastSaved } from './LastSaved'
import { Loaded } from './Loaded'
import { NoticesForm } from './NoticesForm'
import { RulesForm } from './RulesForm'
import classes from './Settings.module.css'
import { WordingPage } from './WordingPage'

/** Pages in the order of their tabs; those rendered by `DocumentForm` are described in `documents.ts`. */
const PAGES = {
  rules: () => (
    <>
      <LastSaved action="rules-changed" />
      <Loaded query={rulesQuery}>{(part) => <RulesForm {...part} />}</Loaded>
    </>
  ),
  calendar: () => (
    <>
      <LastSaved action="calendar-changed" />
      <Loaded query={calendarQuery}>{(part) => <CalendarForm {...part} />}</Loaded>
    </>
  ),
  library: () => <Loaded query={libraryQuery}>{(part) => <DocumentForm {...part} page={LIBRARY} />}</Loaded>,
  notices: () => <Loaded query={noticesQuery}>{(part) => <NoticesForm {...part} />}</Loaded>,
  wording: () => <WordingPage />,
  backups: () => <BackupsPage />,
}
const TABS = Object.keys(PAGES) as (keyof typeof PAGES)[]

/** Settings for librarians: lending rules, closed days, the library's data, notices (R-RULE-1 to 8), and backups. */
export default function SettingsScreen() {
  const [params] = useSearchParams()
  const asked = params.get('tab')
  const tab = TABS.find((name) => name === asked) ?? 'rules'
  const Page = PAGES[tab]
  return (
    <div className={classes.screen}>
      <PageHeader title={t('settings.title')} />
      <Tabs label={t('settings.parts')} names={TABS} open={tab} textOf={(name) => t(`settings.tab.${name}`)} />
      <Page key={tab} />
    </div>
  )
}
