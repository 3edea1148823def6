import { Skeleton } from '@mantine/core'
import { useQuery, useQueryClient, type UseQueryOptions } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link, useSearchParams } from 'react-router'
import { configQuery } from '../../api/config'
import { calendarQuery, libraryQuery, rulesQuery, type Saved } from '../../api/settings'
import { t } from '../../lib/messages'
import { ErrorState } from '../../ui/ErrorState'
import { PageHeader } from '../../ui/PageHeader'
import { CalendarForm } from './CalendarForm'
import { LibraryForm } from './LibraryForm'
import { RulesForm } from './RulesForm'
import classes from './Settings.module.css'
import type { Part } from './useSettingsForm'

const TABS = ['rules', 'calendar', 'library'] as const

/** What the librarians decide: the rules of lending, the closed days, and what the library is called (R-RULE-1 to 8). */
export default function SettingsScreen() {
  const [params] = useSearchParams()
  const asked = params.get('tab')
  const tab = TABS.find((name) => name === asked) ?? 'rules'
  return (
    <div className={classes.screen}>
      <PageHeader title={t('settings.title')} />
      <nav aria-label={t('settings.parts')} className={classes.tabs}>
        {TABS.map((name) => (
          <Link key={name} to={{ search: `tab=${name}` }} replace aria-current={name === tab ? 'page' : undefined}>
            {t(`settings.tab.${name}`)}
          </Link>
        ))}
      </nav>
      {tab === 'rules' ? <RulesPart /> : tab === 'calendar' ? <CalendarPart /> : <LibraryPart />}
    </div>
  )
}

function RulesPart() {
  const config = useQuery(configQuery)
  if (config.error && !config.data) return <ErrorState error={config.error} onRetry={() => void config.refetch()} />
  return (
    <Loaded query={rulesQuery}>{(part) => config.data && <RulesForm {...part} today={config.data.today} />}</Loaded>
  )
}

function CalendarPart() {
  return <Loaded query={calendarQuery}>{(part) => <CalendarForm {...part} />}</Loaded>
}

function LibraryPart() {
  return <Loaded query={libraryQuery}>{(part) => <LibraryForm {...part} />}</Loaded>
}

type LoadedProps<D> = {
  // oxlint-disable-next-line typescript/no-explicit-any -- every query has a key type of its own
  query: UseQueryOptions<Saved<D>, Error, Saved<D>, any>
  children: (part: Part<D>) => ReactNode
}

/** An edit begins from what is saved now, never from what an earlier page happened to load. */
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
