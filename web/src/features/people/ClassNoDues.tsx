import { Alert, Anchor, Button, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Link } from 'react-router'
import { useAction } from '../../api/action'
import { useBatches } from '../../api/batches'
import { batchNoDuesQuery, issueNoDuesOfBatch } from '../../api/people'
import type { BatchNoDues } from '../../api/types'
import { t, translate } from '../../lib/messages'
import { messageOf } from '../../lib/problem'
import { paths } from '../../screens'
import { Dialog } from '../../ui/Dialog'
import { Certificate } from './NoDues'
import classes from './NoDues.module.css'

export { NoDuesDialog } from './NoDues'

/** No-dues certificates of a batch: lists the people with and without one, then prints all sheets (R-PEOPLE-7). */
export default function ClassNoDues({ batch, onClose }: { batch: string; onClose: () => void }) {
  const [typed, setTyped] = useState(batch)
  const [asked, setAsked] = useState(batch)
  const batches = useBatches()
  const preview = useQuery({ ...batchNoDuesQuery(asked), enabled: asked !== '' })
  const issue = useAction(issueNoDuesOfBatch)
  const [issued, setIssued] = useState<BatchNoDues | null>(null)
  const isAsked = asked !== '' && asked === typed.trim()
  const failure = issue.error ?? (isAsked ? preview.error : null)

  // Prints once the sheets are rendered.
  useEffect(() => {
    if (issued !== null) window.print()
  }, [issued])

  async function run() {
    const outcome = await issue.run({ batch: asked })
    if (outcome.ok) setIssued(outcome.output)
  }

  return (
    <Dialog onClose={onClose} title={t('people.noDues.class')} size="lg">
      <Stack>
        {issued === null && (
          <form
            onSubmit={(event) => {
              event.preventDefault()
              setAsked(typed.trim())
            }}
          >
            <Group align="flex-end" wrap="nowrap">
              <TextInput
                className={classes.batch}
                label={t('people.column.batch')}
                required
                withAsterisk={false}
                list="batches-of-certificates"
                autoComplete="off"
                data-autofocus={batch === '' || undefined}
                value={typed}
                onChange={({ currentTarget: { value } }) => setTyped(value)}
              />
              <Button type="submit" variant="default" loading={preview.isFetching}>
                {t('people.promote.look')}
              </Button>
            </Group>
            <datalist id="batches-of-certificates">
              {batches.map((offered) => (
                <option key={offered}>{offered}</option>
              ))}
            </datalist>
          </form>
        )}
        {failure !== null && (
          <Alert color="red" role="alert">
            {messageOf(failure)}
          </Alert>
        )}
        {issued !== null ? (
          <>
            <Alert color="teal" role="status">
              {t('people.noDues.issuedAll', { count: issued.issued.length })}
            </Alert>
            <Open people={issued.open} />
          </>
        ) : (
          isAsked &&
          (preview.data ? (
            <>
              <Text role="status">{sentence(preview.data)}</Text>
              <Open people={preview.data.open} />
            </>
          ) : (
            preview.isFetching && <Skeleton height={96} />
          ))
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t(issued === null ? 'common.cancel' : 'common.close')}
          </Button>
          {issued === null ? (
            <Button
              data-autofocus={batch !== '' || undefined}
              loading={issue.pending}
              disabled={!isAsked || !preview.data?.count}
              onClick={() => void run()}
            >
              {t('people.noDues.printAll', { count: isAsked ? (preview.data?.count ?? 0) : 0 })}
            </Button>
          ) : (
            <Button onClick={() => window.print()}>{t('people.print')}</Button>
          )}
        </Group>
        {issued?.issued.map((certificate) => (
          <Certificate key={certificate.number} certificate={certificate} className={classes.onPaper} />
        ))}
      </Stack>
    </Dialog>
  )
}

function sentence({ count, open }: BatchNoDues): string {
  return count + open.length === 0 ? t('people.promote.who', { count: 0 }) : t('people.noDues.clear', { count })
}

/** People who get no certificate yet, with the reasons. */
function Open({ people }: { people: BatchNoDues['open'] }) {
  if (people.length === 0) return null
  return (
    <section aria-labelledby="no-certificate">
      <Text id="no-certificate" fw={500}>
        {t('people.noDues.notClear', { count: people.length })}
      </Text>
      <ul className={classes.open}>
        {people.map(({ uid, name, rollNumber, open }) => (
          <li key={uid}>
            <Anchor component={Link} to={paths.person(uid)} dir="auto" fz="inherit">
              {[name, rollNumber].filter(Boolean).join(' · ')}
            </Anchor>
            <Text size="sm" c="dimmed">
              {translate(open.code, open.facts, open.text)}
            </Text>
          </li>
        ))}
      </ul>
    </section>
  )
}
