import { Anchor, Button, Group, Menu, NativeSelect, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { ChevronDown } from 'lucide-react'
import { useState } from 'react'
import { Link, Navigate, useLocation, useNavigate, useSearchParams } from 'react-router'
import { useMay } from '../../api/account'
import { useBatches } from '../../api/batches'
import { peopleFile, peopleQuery, type PeopleList } from '../../api/people'
import type { Person } from '../../api/types'
import { numberText } from '../../lib/format'
import { t } from '../../lib/messages'
import { useParamsNow } from '../../lib/paramsNow'
import { paths } from '../../screens'
import { EmptyState } from '../../ui/EmptyState'
import { Money } from '../../ui/Facts'
import { ListState } from '../../ui/ListState'
import { PageHeader } from '../../ui/PageHeader'
import { Pages, pageAddress } from '../../ui/Pages'
import { ResponsiveTable, type Column } from '../../ui/ResponsiveTable'
import { SearchBox } from '../../ui/SearchBox'
import { CardsOfList } from '../labels'
import { addressWith, FILTERS, listIn, orderOf, ORDERS, type Order } from './listing'
import chips from '../../ui/Chips.module.css'
import classes from './PeopleScreen.module.css'
import { NoDuesOfClass, SlipsOfClass } from './NoDuesDialogs'
import { PersonDialog } from './PersonDialog'
import { PersonBadges } from './PersonBadges'

/** List of all people (R-PEOPLE-1). */
export default function PeopleScreen() {
  const [params] = useSearchParams()
  const list = listIn(params)
  const query = useQuery(peopleQuery(list, params.get('cursor')))
  const page = query.data
  const navigate = useNavigate()
  const may = useMay('people')
  const offered = offeredIn(useLocation().state)
  const [carding, setCarding] = useState(false)
  const [certifying, setCertifying] = useState(false)
  const [handingOut, setHandingOut] = useState(false)
  const batches = useBatches()
  // A search for the name of a batch counts as the list of that class.
  const searched = batches.find((known) => known.toLowerCase() === list.q.trim().toLowerCase()) ?? ''
  const batch = list.batch || searched
  const [adding, setAdding] = useState(offered !== undefined)

  return (
    <>
      <PageHeader
        title={t('people.title')}
        actions={
          <Group gap="xs">
            {may && (
              <>
                <Menu position="bottom-end" withInitialFocusPlaceholder={false}>
                  <Menu.Target>
                    <Button variant="default" rightSection={<ChevronDown data-size="16" />}>
                      {t('people.more')}
                    </Button>
                  </Menu.Target>
                  <Menu.Dropdown>
                    <Menu.Item component={Link} to={paths.importPeople()}>
                      {t('people.import.title')}
                    </Menu.Item>
                    <Menu.Item component={Link} to={paths.promote()}>
                      {t('people.promote.open')}
                    </Menu.Item>
                    <Menu.Item onClick={() => setCertifying(true)}>{t('people.noDues.class')}</Menu.Item>
                    <Menu.Item onClick={() => setHandingOut(true)}>{t('people.slips.open')}</Menu.Item>
                    {page !== undefined && page.total > 0 && (
                      <Menu.Item onClick={() => setCarding(true)}>{t('people.cards', { count: page.total })}</Menu.Item>
                    )}
                    <Menu.Item component="a" href={peopleFile(list)} download>
                      {t('people.csv')}
                    </Menu.Item>
                  </Menu.Dropdown>
                </Menu>
                <Button onClick={() => setAdding(true)}>{t('people.form.add')}</Button>
              </>
            )}
          </Group>
        }
      >
        <SearchBox label={t('people.search')} placeholder={t('people.searchHint')} />
      </PageHeader>
      <div className={classes.choose}>
        <nav aria-label={t('people.filter.label')} className={chips.chips}>
          {[null, ...FILTERS].map((filter) => (
            <Link
              key={filter}
              to={{ search: addressWith(params, 'filter', filter) }}
              replace
              aria-current={filter === list.filter ? 'true' : undefined}
            >
              {t(`people.filter.${filter ?? 'all'}`)}
            </Link>
          ))}
        </nav>
        <BatchSelect batches={batches} />
        <OrderSelect />
      </div>
      <div className={classes.line}>
        <Text role="status" c="dimmed" size="sm" className="tabular">
          {page && t('people.count', { total: page.total })}
        </Text>
        {page && <Pages previous={page.previous} next={page.next} label={t('list.pages.label')} />}
      </div>
      <ListState query={query} lines={8}>
        {({ people, total, today, previous, next }) =>
          total === 0 ? (
            <EmptyState message={nothingIn(list)} />
          ) : people.length === 0 && !query.isPlaceholderData ? (
            // The people of a later page have left the list, so the first page is shown.
            <Navigate to={{ search: pageAddress(params, null) }} replace />
          ) : (
            <div
              className={classes.list}
              data-stale={query.isPlaceholderData || undefined}
              aria-busy={query.isFetching}
            >
              <People people={people} today={today} />
              {(previous ?? next) !== null && (
                <div className={classes.below}>
                  <Pages previous={previous} next={next} label={t('list.pages.below')} />
                </div>
              )}
            </div>
          )
        }
      </ListState>
      {handingOut && (
        <SlipsOfClass batch={batch} words={searched === '' ? list.q : ''} onClose={() => setHandingOut(false)} />
      )}
      {carding && <CardsOfList list={list} onClose={() => setCarding(false)} />}
      {certifying && <NoDuesOfClass batch={batch} onClose={() => setCertifying(false)} />}
      {adding && (
        <PersonDialog
          newRollNumber={offered}
          onClose={() => setAdding(false)}
          onDone={({ uid }) => void navigate(paths.person(uid))}
        />
      )}
    </>
  )
}

/** Returns the roll number of a person to add, passed by another screen. */
function offeredIn(state: unknown): string | undefined {
  const offered = typeof state === 'object' && state !== null && 'rollNumber' in state ? state.rollNumber : undefined
  return typeof offered === 'string' ? offered : undefined
}

/** Says why a list is empty. */
function nothingIn({ q, batch }: PeopleList): string {
  if (q !== '') return t('people.noMatch', { q })
  return batch === '' ? t('people.none') : t('people.noneOfBatch', { batch })
}

function BatchSelect({ batches }: { batches: readonly string[] }) {
  const [params] = useSearchParams()
  const paramsNow = useParamsNow()
  const navigate = useNavigate()
  const { batch } = listIn(params)
  const known = batch === '' || batches.includes(batch) ? batches : [...batches, batch]
  if (known.length === 0) return null
  return (
    <NativeSelect
      label={t('people.batch')}
      value={batch}
      data={[{ value: '', label: t('people.batch.all') }, ...known.map((one) => ({ value: one, label: one }))]}
      onChange={(event) => {
        const chosen = event.currentTarget.value
        void navigate({ search: addressWith(paramsNow(), 'batch', chosen === '' ? null : chosen) }, { replace: true })
      }}
    />
  )
}

/** Window width up to which rows are cards, which have no headings to sort by. */
const CARDS = '56em'

function OrderSelect() {
  const [params] = useSearchParams()
  const paramsNow = useParamsNow()
  const navigate = useNavigate()
  const cards = useMediaQuery(`(max-width: ${CARDS})`, false, { getInitialValueInEffect: false })
  if (!cards) return null
  const chosen = (listIn(params).sort || 'name').replace(/^-/, '')
  return (
    <NativeSelect
      label={t('people.order')}
      value={chosen}
      data={ORDERS.map((order) => ({ value: order, label: t(`people.column.${order}`) }))}
      onChange={(event) => {
        const order = event.currentTarget.value as Order
        if (order !== chosen) void navigate({ search: orderOf(paramsNow(), order).to }, { replace: true })
      }}
    />
  )
}

function People({ people, today }: { people: readonly Person[]; today: string }) {
  const [params] = useSearchParams()
  const column = (by: Order, cell: Column<Person>['cell']): Column<Person> => ({
    title: t(`people.column.${by}`),
    order: orderOf(params, by),
    cell,
  })
  const text = (value: string | null) => value && <span dir="auto">{value}</span>
  const count = (value: number) => (value === 0 ? null : <span className="tabular">{numberText(value)}</span>)
  return (
    <ResponsiveTable
      label={t('people.title')}
      cardsUpTo={CARDS}
      dense
      rows={people}
      keyOf={(person) => person.uid}
      columns={[
        column('name', (person) => (
          <span className={classes.name}>
            <Anchor
              component={Link}
              to={paths.person(person.uid)}
              underline="hover"
              c="inherit"
              fz="inherit"
              dir="auto"
            >
              {person.name}
            </Anchor>{' '}
            <PersonBadges person={person} today={today} />
          </span>
        )),
        column('rollNumber', ({ rollNumber }) => text(rollNumber)),
        column('batch', ({ batch }) => text(batch)),
        column('department', ({ department }) => text(department)),
        { ...column('openLoans', ({ openLoans }) => count(openLoans)), align: 'end' },
        { ...column('overdueLoans', ({ overdueLoans }) => count(overdueLoans)), align: 'end' },
        {
          ...column('owes', ({ owes }) =>
            owes === 0 ? null : (
              <span className={classes.owes} data-owed={owes > 0 || undefined}>
                <Money amount={owes} />
              </span>
            ),
          ),
          align: 'end',
        },
      ]}
    />
  )
}
