import { Anchor, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRef, type ReactNode } from 'react'
import { Link } from 'react-router'
import { personHoldsQuery } from '../../api/holds'
import { t } from '../../lib/messages'
import { paths } from '../../screens'
import { ListState } from '../../ui/ListState'
import { ResponsiveTable } from '../../ui/ResponsiveTable'
import { CancelHold } from './CancelHold'
import classes from './Holds.module.css'
import { Ended } from './MyHolds'
import { Standing } from './Standing'

/** Holds of a person, on the librarian's page of the person. */
export function PersonHolds({ uid, actions }: { uid: number; actions?: ReactNode }) {
  const query = useQuery(personHoldsQuery(uid))
  const heading = useRef<HTMLHeadingElement>(null)
  return (
    <section className={classes.part} aria-labelledby="person-holds">
      <div className={classes.head}>
        <Title order={2} id="person-holds" tabIndex={-1} ref={heading}>
          {t('holds.title')}
        </Title>
        {actions}
      </div>
      <ListState query={query} lines={2}>
        {({ holds, ended }) => (
          <>
            {holds.length === 0 ? (
              <p className={classes.hint}>{t('holds.person.none')}</p>
            ) : (
              <ResponsiveTable
                label={t('holds.title')}
                rows={holds}
                keyOf={(hold) => hold.id}
                columns={[
                  {
                    title: t('loans.column.book'),
                    cell: (hold) => (
                      <Anchor
                        component={Link}
                        to={paths.bookDetail(hold.bookId)}
                        underline="hover"
                        c="inherit"
                        fz="inherit"
                        dir="auto"
                        className={classes.title}
                      >
                        {hold.title}
                      </Anchor>
                    ),
                  },
                  { title: t('holds.column.state'), cell: (hold) => <Standing hold={hold} /> },
                  {
                    title: t('loans.column.actions'),
                    bare: true,
                    cell: (hold) => (
                      <CancelHold
                        hold={hold}
                        named
                        size="compact-sm"
                        h={34}
                        variant="default"
                        whenGone={() => heading.current?.focus()}
                      />
                    ),
                  },
                ]}
              />
            )}
            <Ended holds={ended} linkTo={paths.bookDetail} />
          </>
        )}
      </ListState>
    </section>
  )
}
