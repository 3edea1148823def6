import { Skeleton } from '@mantine/core'
import { useQuery, useQueryClient, type UseQueryOptions } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useSearchParams } from 'react-router'
import { calendarQuery, libraryQuery, noticesQuery, rulesQuery, type Saved } from '../../api/settings'
import { t } from '../../lib/messages'
import { ErrorState } from '../../ui/ErrorState'
import { PageHeader, Tabs } from '../../ui/PageHeader'
import { BackupsPage } from './BackupsPage'
import { CalendarForm } from './CalendarForm'
import { DocumentForm } from './DocumentForm'
import { LIBRARY } from './documents'
import { NoticesForm } from './NoticesForm'
import { RulesForm } from './RulesForm'
import classes from './Settings.module.css'
import type { Part } from './useSettingsForm'

/** Pages in the order of their tabs; those rendered by `DocumentForm` are described in `documents.ts`. */
const PAGES = {
  rules: () => <Loaded query={rulesQuery}>{(part) => <RulesForm {...part} />}</Loaded>,
  calendar: () => <Loaded query={calendarQuery}>{(part) => <CalendarForm {...part} />}</Loaded>,
  library: () => <Loaded query={libraryQuery}>{(part) => <DocumentForm {...part} page={LIBRARY} />}</Loaded>,
  notices: () => <Loaded query={noticesQuery}>{(part) => <NoticesForm {...part} />}</Loaded>,
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

type LoadedProps<D> = {
  // oxlint-disable-next-line typescript/no-explicit-any -- every query has a key type of its own
  query: UseQueryOptions<Saved<D>, Error, Saved<D>, any>
  children: (part: Part<D>) => ReactNode
}

/** Loads the document before its form is shown: an edit begins from the saved values, never from cached ones. */
function Loaded<D>({ query, children }: LoadedProps<D>) {
  const queries = useQueryClient()
  const { data, error, refetch, isFetchedAfterMount } = useQuery({
    ...query,
    refetchOnMount: 'always',
    refetchOnWindowFocus: false,
  })
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!data || !isFetchedAfterMount) {
    return (
      <div aria-hidden="true">
        <Skeleton height={28} width="12rem" mb="lg" />
        <Skeleton height={240} />
      </div>
    )
  }
  return children({
    loaded: data,
    loadAgain: () => queries.fetchQuery({ ...query, staleTime: 0 }),
  })
}
