import { Alert, Button, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Effect } from '../../api/types'
import { translateMessage, t } from '../../lib/messages'
import { messageOf } from '../../lib/problem'
import { Dialog } from '../../ui/Dialog'
import { DateText, Money } from '../../ui/Facts'
import { ResponsiveTable } from '../../ui/ResponsiveTable'
import type { Conflict } from '../../lib/merge'
import classes from './Settings.module.css'
import type { SettingsForm } from './useSettingsForm'

type FormFrameProps<V extends object> = {
  form: SettingsForm<V>
  label: string
  /** Returns the label of the field with a conflict. */
  nameOf: (place: string) => string
  children: ReactNode
}

/** Frame of a settings form: conflicts above it, buttons below, and the effect before saving. */
export function FormFrame<V extends object>({ form, label, nameOf, children }: FormFrameProps<V>) {
  const { conflicts, effect, failure } = form
  return (
    <>
      {conflicts && (
        <Alert color="teal" role="alert" title={t('settings.stale.title')} mb="lg">
          {t(conflicts.length === 0 ? 'settings.stale.merged' : 'settings.stale.both')}
          {conflicts.length > 0 && (
            <ul className={classes.conflicts}>
              {conflicts.map((conflict) => (
                <li key={conflict.place}>{conflictText(conflict, nameOf)}</li>
              ))}
            </ul>
          )}
        </Alert>
      )}
      <form
        noValidate
        aria-label={label}
        onSubmit={(event) => {
          event.preventDefault()
          if (!form.pending) void form.submit()
        }}
      >
        {children}
        <div className={classes.buttons}>
          {/* Among the buttons, so that the failure is in view even in a long form. */}
          {failure !== null && (
            <Alert color="red" role="alert" w="100%">
              {t('settings.failed', { reason: messageOf(failure) })}
            </Alert>
          )}
          <Button type="submit" loading={form.pending && effect === null} disabled={!form.dirty}>
            {t('settings.save')}
          </Button>
          <Button variant="default" disabled={!form.dirty} onClick={form.discard}>
            {t('settings.discard')}
          </Button>
          {form.dirty && (
            <span role="status" className={classes.unsaved}>
              {t('settings.unsaved')}
            </span>
          )}
        </div>
      </form>
      {effect && (
        <EffectQuestion
          effect={effect}
          pending={form.pending}
          onYes={() => void form.store()}
          onClose={form.closeEffect}
        />
      )}
    </>
  )
}

function conflictText({ place, theirs }: Conflict, nameOf: (place: string) => string): string {
  const name = nameOf(place)
  if (Array.isArray(theirs) || (typeof theirs === 'object' && theirs !== null))
    return t('settings.stale.list', { name })
  const value = theirs === null || theirs === undefined || theirs === '' ? t('settings.blank') : shown(theirs)
  return t('settings.stale.theirs', { name, value })
}

const shown = (value: unknown): string =>
  typeof value === 'boolean' ? t(value ? 'settings.on' : 'settings.off') : String(value)

type EffectQuestionProps = { effect: Effect; pending: boolean; onYes: () => void; onClose: () => void }

/** Shows the effect on open loans before saving (R-RULE-5). */
function EffectQuestion({ effect, pending, onYes, onClose }: EffectQuestionProps) {
  const changed = Math.max(effect.finesChanged, effect.dueDatesMoved)
  return (
    <Dialog
      onClose={onClose}
      title={t(effect.forgets === null ? 'settings.effect.title' : 'settings.effect.forgetsTitle')}
      size={effect.forgets === null ? 'xl' : 'md'}
    >
      <ul className={classes.summary}>
        {effect.summary.map((message) => (
          <li key={message.code}>{translateMessage(message)}</li>
        ))}
      </ul>
      {effect.loans.length > 0 && (
        // Focusable, so that the keyboard can scroll it.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <div className={classes.affected} role="region" aria-label={t('settings.effect.loans')} tabIndex={0}>
          <ResponsiveTable
            label={t('settings.effect.loans')}
            rows={effect.loans}
            keyOf={(loan) => loan.loanId}
            columns={[
              { title: t('loans.column.name'), cell: (loan) => <span dir="auto">{loan.userName}</span> },
              { title: t('loans.column.book'), cell: (loan) => <span dir="auto">{loan.title}</span> },
              {
                title: t('loans.column.return'),
                cell: (loan) => (
                  <>
                    <Change
                      before={<DateText day={loan.returnDateBefore} />}
                      after={<DateText day={loan.returnDateAfter} />}
                      same={loan.returnDateBefore === loan.returnDateAfter}
                    />
                    {loan.reasons.map((reason) => (
                      <div key={reason.code} className={classes.reason}>
                        {translateMessage(reason)}
                      </div>
                    ))}
                  </>
                ),
              },
              {
                title: t('loans.column.fine'),
                align: 'end',
                cell: (loan) => (
                  <Change
                    before={<Money amount={loan.fineBefore} />}
                    after={<Money amount={loan.fineAfter} />}
                    same={loan.fineBefore === loan.fineAfter}
                  />
                ),
              },
            ]}
          />
          {changed > effect.loans.length && (
            <p className={classes.reason}>{t('settings.effect.more', { count: changed - effect.loans.length })}</p>
          )}
        </div>
      )}
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onClose}>
          {t('settings.effect.back')}
        </Button>
        <Button loading={pending} onClick={onYes} data-autofocus>
          {t('settings.save')}
        </Button>
      </Group>
    </Dialog>
  )
}

function Change({ before, after, same }: { before: ReactNode; after: ReactNode; same: boolean }) {
  return same ? (
    before
  ) : (
    <span className="tabular">
      <s>{before}</s> {after}
    </span>
  )
}
