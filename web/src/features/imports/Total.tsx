import { numberText } from '../../lib/format'

/** A count in a report, with its name. */
export function Total({ name, count }: { name: string; count: number }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{numberText(count)}</dd>
    </div>
  )
}
