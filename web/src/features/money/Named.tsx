import { Anchor } from '@mantine/core'
import { Link } from 'react-router'
import { paths } from '../../screens'
import classes from './MoneyScreen.module.css'

type NamedProps = { uid: number; name: string; rollNumber: string | null }

/** Person of a row, linked, with the roll number. */
export function Named({ uid, name, rollNumber }: NamedProps) {
  return (
    <>
      <Anchor component={Link} to={paths.person(uid)} underline="hover" c="inherit" fz="inherit" dir="auto">
        {name}
      </Anchor>
      {rollNumber && (
        <>
          {' '}
          <span className={classes.roll} dir="auto">
            {rollNumber}
          </span>
        </>
      )}
    </>
  )
}
