import { Alert, Button, Checkbox, Group, Radio, Stack, Text, TextInput, Title } from '@mantine/core'
import { useRef, useState } from 'react'
import { Link, useLocation } from 'react-router'
import { useAction } from '../../api/action'
import { useBatches } from '../../api/batches'
import { undo as undoAction } from '../../api/changes'
import { promote } from '../../api/people'
import type { PromotionForm, PromotionReport } from '../../api/types'
import { focusHere } from '../../lib/focus'
import { listText } from '../../lib/format'
import { translate, translateMessage, t } from '../../lib/messages'
import { paths } from '../../screens'
import { messageOf } from '../../lib/problem'
import { PageHeader } from '../../ui/PageHeader'
import { ResponsiveTable } from '../../ui/ResponsiveTable'
import classes from './ImportScreen.module.css'
import { NoDuesOfClass } from './NoDuesDialogs'

/** The previewed form with the server's answer; exactly this form is sent. */
type Preview = PromotionReport & { form: PromotionForm }

/** People of a batch who are missing from a class list. */
export type Missing = { batch: string; people: readonly number[] }

/** Year's end: promotes a batch or lets it leave, after a preview (R-PEOPLE-5). */
export default function PromoteScreen() {
  const batches = useBatches()
  const missing = (useLocation().state as { missing?: Missing } | null)?.missing
  const [from, setFrom] = useState(missing?.batch ?? '')
  const [way, setWay] = useState<'move' | 'leave'>(missing ? 'leave' : 'move')
  const only = missing?.batch === from.trim() ? missing.people : null
  const [to, setTo] = useState('')
  const [except, setExcept] = useState<ReadonlySet<number>>(new Set())
  const [certifying, setCertifying] = useState(false)
  const [again, setAgain] = useState(false)
  const [preview, setPreview] = useState<Preview | null>(null)
  const send = useAction(promote)

  // Counts the changes of the form, so that the answer to an outdated form is dropped.
  const edits = useRef(0)

  async function look() {
    setExcept(new Set())
    setAgain(false)
    const asked = edits.current
    const form: PromotionForm = {
      fromBatch: from,
      ...(way === 'move' ? { toBatch: to } : { deactivate: true }),
      ...(only && { only: [...only] }),
    }
    const outcome = await send.run({ ...form, dryRun: true })
    if (asked === edits.current) setPreview(outcome.ok ? { ...outcome.output, form } : null)
  }

  const [done, setDone] = useState<{ count: number; change: number | null; left: boolean } | null>(null)
  const [undone, setUndone] = useState<string | null>(null)
  const undo = useAction(undoAction, { failed: (reason) => t('common.undoFailed', { reason }) })
  async function run(seen: Preview) {
    const outcome = await send.run({ ...seen.form, except: [...except], preview: seen.preview, again })
    if (!outcome.ok) return
    setDone({ ...outcome.output, left: seen.form.deactivate === true })
    setPreview(null)
  }

  async function takeBack(change: number) {
    const outcome = await undo.run(change)
    if (!outcome.ok) return
    setDone(null)
    setUndone(outcome.output.messages.map(translateMessage).join(' '))
  }

  const change = (set: () => void) => {
    set()
    edits.current += 1
    setPreview(null)
    setDone(null)
    setUndone(null)
  }
  // With exceptions, the server decides whether the rest were moved before.
  const needsAgain = preview?.movedBefore != null && !again && except.size === 0
  const touched = preview ? preview.count - except.size : 0

  return (
    <div className={classes.screen}>
      <PageHeader
        title={t('people.promote.title')}
        actions={
          <Button component={Link} to={paths.people()} variant="default">
            {t('people.import.back')}
          </Button>
        }
      />
      <Text>{t('people.promote.what')}</Text>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void look()
        }}
      >
        <Stack mt="lg" maw="28rem">
          <TextInput
            label={t('people.promote.from')}
            required
            withAsterisk={false}
            list="batches"
            autoComplete="off"
            value={from}
            onChange={({ currentTarget: { value } }) => change(() => setFrom(value))}
          />
          {only && done === null && <Text>{t('people.promote.only', { count: only.length })}</Text>}
          <Radio.Group
            label={t('people.promote.way')}
            value={way}
            onChange={(value) => change(() => setWay(value === 'leave' ? 'leave' : 'move'))}
          >
            <Stack gap="xs" mt="xs">
              <Radio value="move" label={t('people.promote.move')} />
              <Radio value="leave" label={t('people.promote.leave')} description={t('people.promote.leaveHint')} />
            </Stack>
          </Radio.Group>
          {way === 'move' && (
            <TextInput
              label={t('people.promote.to')}
              required
              withAsterisk={false}
              list="batches"
              autoComplete="off"
              value={to}
              onChange={({ currentTarget: { value } }) => change(() => setTo(value))}
            />
          )}
          <datalist id="batches">
            {batches.map((batch) => (
              <option key={batch}>{batch}</option>
            ))}
          </datalist>
          {send.error !== null && (
            <Alert color="red" role="alert">
              {messageOf(send.error)}
            </Alert>
          )}
          <Group>
            <Button type="submit" variant="default" loading={send.pending && preview === null}>
              {t('people.promote.look')}
            </Button>
            <Button variant="subtle" disabled={from.trim() === ''} onClick={() => setCertifying(true)}>
              {t('people.noDues.class')}
            </Button>
          </Group>
        </Stack>
      </form>
      {certifying && <NoDuesOfClass batch={from.trim()} onClose={() => setCertifying(false)} />}
      {done !== null && (
        <Alert color="teal" role="status" mt="lg">
          <Group justify="space-between">
            <span>{t(done.left ? 'people.promote.left' : 'people.promote.done', { count: done.count })}</span>
            {done.change !== null && (
              <Button
                variant="default"
                size="compact-md"
                loading={undo.pending}
                onClick={() => void takeBack(done.change ?? 0)}
              >
                {t('common.undo')}
              </Button>
            )}
          </Group>
        </Alert>
      )}
      {undone !== null && (
        <Alert color="teal" role="status" mt="lg">
          {undone}
        </Alert>
      )}
      {preview && (
        <section aria-labelledby="preview" className={classes.report}>
          <Title order={2} id="preview" ref={focusHere} tabIndex={-1}>
            {t('people.promote.who', { count: preview.count })}
          </Title>
          {preview.count > preview.people.length && (
            <Text c="dimmed">{t('people.import.first', { count: preview.people.length })}</Text>
          )}
          {preview.kept.length > 0 && (
            <Alert color="yellow" mt="sm">
              {t('people.promote.kept', {
                count: preview.kept.length,
                names: listText(
                  preview.kept.map(({ name, rollNumber }) => [name, rollNumber].filter(Boolean).join(' ')),
                ),
              })}
            </Alert>
          )}
          {preview.movedBefore && (
            <Alert color="yellow" mt="sm">
              <Stack gap="xs">
                {translate(preview.movedBefore.code, preview.movedBefore.facts, preview.movedBefore.text)}
                <Checkbox
                  label={t(preview.form.toBatch ? 'people.promote.moveAgain' : 'people.promote.leaveAgain')}
                  checked={again}
                  onChange={({ currentTarget: { checked } }) => setAgain(checked)}
                />
              </Stack>
            </Alert>
          )}
          {preview.people.length > 0 && (
            <>
              <ResponsiveTable
                label={t('people.promote.who', { count: preview.count })}
                dense
                rows={preview.people}
                keyOf={({ uid }) => uid}
                columns={[
                  {
                    title: t('people.column.name'),
                    cell: ({ uid, name }) => (
                      <Checkbox
                        label={<span dir="auto">{name}</span>}
                        checked={!except.has(uid)}
                        onChange={({ currentTarget: { checked } }) => {
                          const after = new Set(except)
                          if (checked) after.delete(uid)
                          else after.add(uid)
                          setExcept(after)
                        }}
                      />
                    ),
                  },
                  { title: t('people.column.rollNumber'), cell: ({ rollNumber }) => rollNumber },
                  {
                    title: t('people.column.openLoans'),
                    align: 'end',
                    cell: ({ openLoans }) => (openLoans ? <span className="tabular">{openLoans}</span> : null),
                  },
                ]}
              />
              <Button
                mt="lg"
                loading={send.pending}
                disabled={touched === 0 || needsAgain}
                onClick={() => void run(preview)}
              >
                {preview.form.toBatch
                  ? t('people.promote.submitMove', { count: touched, batch: preview.form.toBatch })
                  : t('people.promote.submitLeave', { count: touched })}
              </Button>
            </>
          )}
        </section>
      )}
    </div>
  )
}
