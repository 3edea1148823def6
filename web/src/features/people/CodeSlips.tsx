import { Alert, Button, Checkbox, Group, NumberInput, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useAction } from '../../api/action'
import { useBatches } from '../../api/batches'
import { useLibraryName } from '../../api/config'
import { batchCodesQuery, makeCodesOfBatch } from '../../api/people'
import type { BatchCodes } from '../../api/types'
import { fieldsOf, messageOf } from '../../lib/problem'
import { t } from '../../lib/messages'
import { isThisMachine } from '../../lib/thisMachine'
import { paths } from '../../screens'
import { Sheet } from '../../print/Sheet'
import { Dialog } from '../../ui/Dialog'
import classes from './CodeSlips.module.css'

const DAYS = 14
const MOST_DAYS = 90

type CodeSlipsProps = { batch: string; words: string; onClose: () => void }

/** Sign-in codes for people without a password, by mail or as slips to print and cut (R-PEOPLE-3). */
export default function CodeSlips({ batch, words, onClose }: CodeSlipsProps) {
  const [typed, setTyped] = useState({ batch, q: words })
  const [byMail, setByMail] = useState(false)
  const [days, setDays] = useState<number | string>(DAYS)
  const batches = useBatches()
  const asked = { batch: typed.batch.trim(), q: typed.q.trim() }
  const isAsked = asked.batch + asked.q !== ''
  const preview = useQuery({ ...batchCodesQuery(asked), enabled: isAsked })
  const make = useAction(makeCodesOfBatch)
  const [made, setMade] = useState<BatchCodes | null>(null)
  const wrong = fieldsOf(make.error)
  const count = isAsked ? (preview.data?.count ?? 0) : 0
  const reachable = isAsked ? (preview.data?.mailed ?? 0) : 0
  const failure = make.error ?? (isAsked ? preview.error : null)

  async function run() {
    const outcome = await make.run({ ...asked, days: Number(days), byMail: byMail && reachable > 0 })
    if (outcome.ok) setMade(outcome.output)
  }

  if (made !== null) return <Slips made={made} onClose={onClose} />
  return (
    <Dialog onClose={onClose} title={t('people.slips.title')} size="md">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (count > 0 && !make.pending) void run()
        }}
      >
        <Stack>
          <Text c="dimmed">{t('people.slips.what')}</Text>
          {isThisMachine(window.location.hostname) && <Alert color="yellow">{t('people.code.thisMachine')}</Alert>}
          <TextInput
            label={t('people.column.batch')}
            list="batches-of-slips"
            autoComplete="off"
            data-autofocus
            value={typed.batch}
            error={wrong['batch']}
            onChange={({ currentTarget: { value } }) => setTyped({ ...typed, batch: value })}
          />
          <datalist id="batches-of-slips">
            {batches.map((offered) => (
              <option key={offered}>{offered}</option>
            ))}
          </datalist>
          <TextInput
            label={t('people.slips.words')}
            description={t('people.slips.wordsHint')}
            autoComplete="off"
            value={typed.q}
            error={wrong['q']}
            onChange={({ currentTarget: { value } }) => setTyped({ ...typed, q: value })}
          />
          <NumberInput
            label={t('people.slips.days')}
            min={1}
            max={MOST_DAYS}
            allowDecimal={false}
            clampBehavior="none"
            value={days}
            error={wrong['days']}
            onChange={setDays}
          />
          {reachable > 0 && (
            <Checkbox
              label={t(reachable === count ? 'people.slips.byMailAll' : 'people.slips.byMail', { count: reachable })}
              checked={byMail}
              onChange={({ currentTarget: { checked } }) => setByMail(checked)}
            />
          )}
          <Text role="status">{isAsked && preview.data && t('people.slips.count', { count })}</Text>
          {failure !== null && Object.keys(wrong).length === 0 && (
            <Alert color="red" role="alert">
              {messageOf(failure)}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={make.pending} disabled={count === 0}>
              {byMail && reachable > 0 ? t('people.slips.send') : t('people.slips.make', { count })}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}

/** Slips with the codes, which are shown only once: the dialog closes by its own button only. */
function Slips({ made, onClose }: { made: BatchCodes; onClose: () => void }) {
  const library = useLibraryName()
  const address = new URL(`/library${paths.redeem()}`, window.location.href).href
  return (
    <Dialog onClose={onClose} title={t('people.slips.title')} size="xl" keepsOpen withCloseButton={false}>
      <Group justify="space-between" mb="md">
        <Text role="status">
          {made.mailed > 0 && `${t('people.slips.mailed', { count: made.mailed })} `}
          {made.slips.length > 0 && t('people.slips.once', { count: made.slips.length })}
        </Text>
        <Group gap="xs">
          <Button variant="default" data-autofocus={made.slips.length === 0 || undefined} onClick={onClose}>
            {t('common.close')}
          </Button>
          {made.slips.length > 0 && (
            <Button data-autofocus onClick={() => window.print()}>
              {t('people.print')}
            </Button>
          )}
        </Group>
      </Group>
      <Sheet paper="page" className={classes.sheet}>
        {made.slips.map(({ name, rollNumber, code }) => (
          <section key={rollNumber} className={classes.slip}>
            {library !== '' && <p dir="auto">{library}</p>}
            <p className={classes.name} dir="auto">
              {name} · {rollNumber}
            </p>
            <p className={classes.code}>{code}</p>
            <p>{t('people.code.where', { address })}</p>
            {made.expires !== null && <p>{t('people.slips.until', { day: made.expires.slice(0, 10) })}</p>}
          </section>
        ))}
      </Sheet>
    </Dialog>
  )
}
