import { Table } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { ChevronDown, ChevronUp } from 'lucide-react'
import type { MouseEvent, ReactNode } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import { rebased, useParamsNow } from '../lib/paramsNow'
import classes from './ResponsiveTable.module.css'

type Order = { direction: 'ascending' | 'descending' | null; to: string }

export type Column<Row> = {
  /** Heading of the column, and label of the value on a card. */
  title: string
  /** Null for a value that the row lacks: a dash in a table, left out of a card (L34). */
  cell: (row: Row) => ReactNode
  /** `end` for amounts. */
  align?: 'start' | 'end'
  /** Current order by this column, and the address of the list in that order or its reverse. */
  order?: Order | undefined
  /** On a card the cell has its own line without a label: for buttons and self-explanatory content. */
  bare?: boolean
}

type ResponsiveTableProps<Row> = {
  /** Name of the table for screen readers. */
  label: string
  rows: readonly Row[]
  keyOf: (row: Row) => string | number
  /** The first column names the row: person or book. */
  columns: readonly [Column<Row>, ...Column<Row>[]]
  /** Up to this window width each row is a card. */
  cardsUpTo?: string
  /** Compact rows, for long lists. */
  dense?: boolean
}

function OrderLink({ title, order: { direction, to } }: { title: string; order: Order }) {
  const [shown] = useSearchParams()
  const paramsNow = useParamsNow()
  const navigate = useNavigate()
  function follow(event: MouseEvent) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    // A filter may have changed since this link was rendered.
    event.preventDefault()
    void navigate({ search: rebased(shown, new URLSearchParams(to), paramsNow()).toString() }, { replace: true })
  }
  return (
    <Link to={{ search: to }} replace className={classes.order} data-direction={direction} onClick={follow}>
      {title}
      {direction === 'descending' ? <ChevronDown data-size="16" /> : <ChevronUp data-size="16" />}
    </Link>
  )
}

/** A table with a sticky header; in narrow windows each row becomes a card of labelled values. */
export function ResponsiveTable<Row>({
  label,
  rows,
  keyOf,
  columns,
  cardsUpTo = '48em',
  dense,
}: ResponsiveTableProps<Row>) {
  const [first, ...others] = columns
  const cards = useMediaQuery(`(max-width: ${cardsUpTo})`, false, { getInitialValueInEffect: false })
  return (
    <Table
      className={cards ? `${classes.table} ${classes.cards}` : classes.table}
      horizontalSpacing="sm"
      aria-label={label}
      role="table"
      data-dense={dense}
    >
      <Table.Thead className={classes.head} role="rowgroup">
        <Table.Tr role="row">
          {columns.map(({ title, align, order }) => (
            <Table.Th
              key={title}
              scope="col"
              role="columnheader"
              data-align={align}
              aria-sort={order && (order.direction ?? 'none')}
            >
              {order ? <OrderLink title={title} order={order} /> : title}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      {/* Explicit roles, because cards lose the table's layout and with it its implicit roles. */}
      <Table.Tbody role="rowgroup">
        {rows.map((row) => (
          <Table.Tr key={keyOf(row)} role="row">
            <Table.Th scope="row" role="rowheader" className={classes.name}>
              {first.cell(row)}
            </Table.Th>
            {others.map(({ title, cell, align, bare }) => {
              const value = cell(row)
              const isMissing = value === null && !bare
              return (
                <Table.Td
                  key={title}
                  role="cell"
                  data-label={title}
                  data-align={align}
                  data-bare={bare}
                  data-missing={isMissing || undefined}
                >
                  {isMissing ? '–' : value}
                </Table.Td>
              )
            })}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
