import { numberText } from '../../lib/format'

/** A number of a report, with what it counts. */
export function Total({ name, count }: { name: string; count: number }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{numberText(count)}</dd>
    </div>
  )
}
