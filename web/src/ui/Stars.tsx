import { useId } from 'react'
import { t } from '../lib/messages'
import classes from './Stars.module.css'

const FROM_TOP = 'l2.5 5.2 5.7.7-4.2 3.9 1.1 5.7-5.1-2.8-5.1 2.8 1.1-5.7-4.2-3.9 5.7-.7z'
const STAR = `M10 1.8${FROM_TOP}`
/** One path for all five stars, because a list shows hundreds of them. */
const FIVE_STARS = [10, 30, 50, 70, 90].map((x) => `M${x} 1.8${FROM_TOP}`).join('')

function FiveStars() {
  return (
    <svg viewBox="0 0 100 19" aria-hidden="true" focusable="false" className={classes.svg}>
      <path d={FIVE_STARS} />
    </svg>
  )
}

type StarsProps = {
  value: number | null
  size?: number
  /** Text for screen readers, instead of the number alone. */
  label?: string
}

/** A rating as five stars; a fraction fills part of a star. */
export function Stars({ value, size = 16, label }: StarsProps) {
  // Five empty stars would look like a bad rating.
  if (value === null) return <span className={classes.unrated}>{t('common.stars.none')}</span>
  return (
    <span
      role="img"
      aria-label={label ?? t('common.stars.rated', { value })}
      className={classes.stars}
      style={{ width: size * 5 }}
    >
      <FiveStars />
      <span className={classes.filled} style={{ width: `${(value / 5) * 100}%` }}>
        <span className={classes.full} style={{ width: size * 5 }}>
          <FiveStars />
        </span>
      </span>
    </span>
  )
}

type StarsInputProps = {
  label: string
  /** 0: no choice yet. */
  value: number
  onChange: (value: number) => void
  error?: string | null
}

/** Choice of one to five stars by pointer, arrow keys or screen reader: five radio buttons drawn as stars. */
export function StarsInput({ label, value, onChange, error }: StarsInputProps) {
  const id = useId()
  const errorId = `${id}-error`
  return (
    <fieldset className={classes.field}>
      <legend className={classes.legend}>{label}</legend>
      <div className={classes.choices}>
        {[1, 2, 3, 4, 5].map((stars) => (
          <label key={stars} className={classes.choice} data-full={stars <= value || undefined}>
            <input
              type="radio"
              name={id}
              value={stars}
              checked={stars === value}
              onChange={() => onChange(stars)}
              className={classes.radio}
              aria-label={t('common.stars.count', { stars })}
              aria-describedby={error ? errorId : undefined}
            />
            <svg viewBox="0 0 20 19" width={32} aria-hidden="true" focusable="false">
              <path d={STAR} />
            </svg>
          </label>
        ))}
      </div>
      {error && (
        <p id={errorId} className={classes.error} role="alert">
          {error}
        </p>
      )}
    </fieldset>
  )
}
