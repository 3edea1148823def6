import { useId } from 'react'
import { t } from '../lib/messages'
import classes from './Stars.module.css'

const STAR = 'M10 1.8l2.5 5.2 5.7.7-4.2 3.9 1.1 5.7L10 14.5l-5.1 2.8L6 11.6 1.8 7.7l5.7-.7z'

function FiveStars() {
  return (
    <svg viewBox="0 0 100 19" aria-hidden="true" focusable="false" className={classes.svg}>
      {[0, 20, 40, 60, 80].map((x) => (
        <path key={x} d={STAR} transform={`translate(${x})`} />
      ))}
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
