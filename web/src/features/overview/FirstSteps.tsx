import { Anchor, Button, Title, VisuallyHidden } from '@mantine/core'
import { Circle, CircleCheck } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { useMay } from '../../api/account'
import { useAction } from '../../api/action'
import { showSteps } from '../../api/overview'
import type { Overview } from '../../api/types'
import { t } from '../../lib/messages'
import { notify } from '../../lib/notify'
import { paths } from '../../screens'
import { FirstRules } from './FirstRules'
import classes from './Overview.module.css'

type Step = NonNullable<Overview['steps']>[number]['step']

/** Address of each step's screen; the rules have a dialog of their own. */
const PLACES: Readonly<Record<Exclude<Step, 'rules'>, () => string>> = {
  name: () => `${paths.settings()}?tab=library`,
  books: () => paths.importBooks(),
  people: () => paths.importPeople(),
  print: () => paths.labels(),
  lend: () => paths.desk(),
}

/** First steps of a new library. A step is ticked when the library's data show that it is done, not by a press. */
export function FirstSteps({ steps, today }: { steps: NonNullable<Overview['steps']>; today: string }) {
  const [choosing, setChoosing] = useState(false)
  const may = useMay('settings')
  const show = useAction(showSteps, { failed: (reason) => reason })

  async function hide() {
    const { ok } = await show.run(false)
    if (ok) notify.success(t('overview.steps.hidden'), () => show.run(true))
  }

  return (
    <section aria-labelledby="first-steps" className={classes.steps}>
      <div className={classes.head}>
        <Title order={2} size="h4" id="first-steps">
          {t('overview.steps.title')}
        </Title>
        <span className={classes.progress}>
          {t('overview.steps.progress', { done: steps.filter(({ done }) => done).length, of: steps.length })}
        </span>
        {may && (
          <Button variant="subtle" size="compact-sm" loading={show.pending} onClick={() => void hide()}>
            {t('overview.steps.hide')}
          </Button>
        )}
      </div>
      <ol className={classes.list}>
        {steps.map(({ step, done }) => (
          <li key={step} data-done={done || undefined}>
            {done ? <CircleCheck /> : <Circle />}
            <div>
              {done ? (
                <>
                  {t(`overview.step.${step}`)} <VisuallyHidden>{t('overview.steps.done')}</VisuallyHidden>
                </>
              ) : step === 'rules' ? (
                <Anchor component="button" type="button" onClick={() => setChoosing(true)}>
                  {t('overview.step.rules')}
                </Anchor>
              ) : (
                <Anchor component={Link} to={PLACES[step]()}>
                  {t(`overview.step.${step}`)}
                </Anchor>
              )}
              {!done && <p className={classes.hint}>{t(`overview.hint.${step}`)}</p>}
            </div>
          </li>
        ))}
      </ol>
      {choosing && <FirstRules today={today} onClose={() => setChoosing(false)} />}
    </section>
  )
}
