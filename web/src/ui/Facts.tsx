import { dayText, moneyText } from '../lib/format'

/** A calendar day, for people and for machines. */
export function DateText({ day }: { day: string }) {
  return (
    <time dateTime={day.slice(0, 10)} className="tabular">
      {dayText(day)}
    </time>
  )
}

/** An amount in moneyText. */
export function Money({ amount }: { amount: number }) {
  return <span className="tabular">{moneyText(amount)}</span>
}
