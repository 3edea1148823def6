import { Alert, Button, Group, Radio, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { useAction } from '../../api/action'
import { mergePeople, mergePreviewQuery } from '../../api/people'
import type { MergeReport, Person } from '../../api/types'
import { listText, moneyText, quoted } from '../../lib/format'
import { t } from '../../lib/messages'
import { paths } from '../../screens'
import { messageOf } from '../../lib/problem'
import { Dialog } from '../../ui/Dialog'
import { FindPerson } from '../find'
import classes from './MergeDialog.module.css'

/** Merges two records of one person: find the other, compare both, preview the effect (R-PEOPLE-9). */
export function MergeDialog({ person, onClose }: { person: Person; onClose: () => void }) {
  const [other, setOther] = useState<Person | null>(null)
  return (
    <Dialog onClose={onClose} title={t('people.merge.title')} size="xl">
      {other === null ? (
        <FindPerson
          isFirst
          label={t('people.merge.search', { name: person.name })}
          except={person.uid}
          onChoose={setOther}
        />
      ) : (
        <Compare person={person} other={other} onBack={() => setOther(null)} onClose={onClose} />
      )}
    </Dialog>
  )
}

type CompareProps = { person: Person; other: Person; onBack: () => void; onClose: () => void }

function Compare({ person, other, onBack, onClose }: CompareProps) {
  const [keep, setKeep] = useState(person.uid)
  const drop = keep === person.uid ? other.uid : person.uid
  const preview = useQuery(mergePreviewQuery(keep, drop))
  const navigate = useNavigate()
  const merge = useAction(mergePeople, { done: ({ after }) => t('people.merge.done', { name: after.name }) })

  async function run() {
    const outcome = await merge.run({ keep, drop })
    if (!outcome.ok) return
    onClose()
    void navigate(paths.person(keep), { replace: true })
  }

  const failure = merge.error ?? preview.error
  return (
    <>
      <Radio.Group
        label={t('people.merge.which')}
        value={String(keep)}
        onChange={(value) => {
          setKeep(Number(value))
          merge.reset()
        }}
      >
        <div className={classes.sides}>
          {[person, other].map((side) => (
            <Side key={side.uid} person={side} isKept={side.uid === keep} />
          ))}
        </div>
      </Radio.Group>
      {preview.data ? <MergeEffects report={preview.data} /> : !preview.isError && <Skeleton height={96} mt="md" />}
      {failure !== null && (
        <Alert color="red" role="alert" mt="md">
          {messageOf(failure)}
        </Alert>
      )}
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onBack}>
          {t('people.merge.back')}
        </Button>
        <Button loading={merge.pending} disabled={!preview.data} onClick={() => void run()}>
          {t('people.merge.submit')}
        </Button>
      </Group>
    </>
  )
}

function Side({ person, isKept }: { person: Person; isKept: boolean }) {
  const { uid, name, rollNumber, email, department, batch, openLoans, owes } = person
  const facts = [
    [t('people.column.rollNumber'), rollNumber],
    [t('people.fact.email'), email],
    [t('people.column.department'), department],
    [t('people.column.batch'), batch],
    [t('people.column.openLoans'), String(openLoans)],
    [t('people.column.owes'), moneyText(owes)],
  ] as const
  return (
    <div className={classes.side} data-kept={isKept || undefined}>
      <Radio
        value={String(uid)}
        label={<span dir="auto">{name}</span>}
        aria-label={t('people.merge.keep', { name, rollNumber: rollNumber ?? t('people.merge.noNumber') })}
      />
      <dl className={classes.facts}>
        {facts.map(([label, value]) => (
          <div key={label} style={{ display: 'contents' }}>
            <dt>{label}</dt>
            <dd dir="auto">{value ?? '–'}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

/** Lists the effects of the merge. */
function MergeEffects({ report }: { report: MergeReport }) {
  const { drop, after, holdsCancelled, reviewsGivenUp, takesPassword } = report
  const titles = (of: readonly string[]) => listText(of.map(quoted))
  return (
    <ul className={classes.what}>
      <li>{t('people.merge.moves', report)}</li>
      {drop.rollNumber !== null && drop.rollNumber !== after.rollNumber && (
        <li>{t('people.merge.card', { rollNumber: drop.rollNumber })}</li>
      )}
      {drop.email !== null && drop.email !== after.email && <li>{t('people.merge.email', { email: drop.email })}</li>}
      {takesPassword && after.email !== null && <li>{t('people.merge.password', { email: after.email })}</li>}
      {holdsCancelled.length > 0 && <li dir="auto">{t('people.merge.holds', { titles: titles(holdsCancelled) })}</li>}
      {reviewsGivenUp.length > 0 && <li dir="auto">{t('people.merge.reviews', { titles: titles(reviewsGivenUp) })}</li>}
      <li>{t('people.merge.undo')}</li>
    </ul>
  )
}
