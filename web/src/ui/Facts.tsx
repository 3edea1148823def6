import { dayText, moneyText } from '../lib/format'

/** A calendar day, formatted for readers, with the ISO day for machines. */
export function DateText({ day }: { day: string }) {
  return (
    <time dateTime={day.slice(0, 10)} className="tabular">
      {dayText(day)}
    </time>
  )
}

export function Money({ amount }: { amount: number }) {
  return <span className="tabular">{moneyText(amount)}</span>
}
