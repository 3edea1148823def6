import { dayText, moneyText } from '../lib/format'

/** A calendar day, formatted for readers, with the ISO day for machines. */
export function DateText({ day, title }: { day: string; title?: string | undefined }) {
  return (
    <time dateTime={day.slice(0, 10)} title={title} className="tabular">
      {dayText(day)}
    </time>
  )
}

export function Money({ amount }: { amount: number }) {
  return <span className="tabular">{moneyText(amount)}</span>
}
