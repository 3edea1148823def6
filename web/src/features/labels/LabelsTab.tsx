import { Alert, Button, Checkbox, Group, NativeSelect, NumberInput, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState, type MouseEvent, type SubmitEvent } from 'react'
import { useSearchParams } from 'react-router'
import { useAction } from '../../api/action'
import { useLibraryName } from '../../api/config'
import { labelsFile, labelsQuery, rememberBatch } from '../../api/labels'
import type { Label, LabelChoice } from '../../api/types'
import { focusBack, focusFirstError } from '../../lib/focus'
import { t } from '../../lib/messages'
import { fieldsOf, messageOf } from '../../lib/problem'
import { boxAt, Page, Pages } from '../../print/Pages'
import { useIsPrinting } from '../../print/useIsPrinting'
import { ConfirmModal } from '../../ui/ConfirmModal'
import { EmptyState } from '../../ui/EmptyState'
import { ListState } from '../../ui/ListState'
import { choiceIn, wayIn, WAYS, type Way } from './choice'
import { useDesk, useDeviation } from './kept'
import { NARROWEST } from './label'
import { isPrintable, LabelFace, moduleOn, type Look } from './LabelFace'
import classes from './Labels.module.css'
import { paged, slotAt, slotsOf, type Deviation, type Measures } from './sheets'
import { useSheets, type NamedSheet } from './useSheets'

/** Chooses copies and a sheet, shows the first page, and prints. */
export function LabelsTab() {
  const [params] = useSearchParams()
  const choice = choiceIn(params)
  const query = useQuery({ ...labelsQuery(choice ?? {}), enabled: choice !== null })
  // The field of a refused range shows the error and takes the focus.
  const { error } = query
  const refused = fieldsOf(error)
  useEffect(() => focusFirstError(fieldsOf(error)), [error])
  return (
    <>
      <Choice refused={refused} />
      {choice !== null && Object.keys(refused).length === 0 && (
        <ListState query={query} lines={4}>
          {({ labels, total }) =>
            labels.length === 0 ? (
              <EmptyState message={choice.unprinted ? t('labels.allPrinted') : t('labels.none')} />
            ) : (
              <Printing choice={choice} labels={labels} total={total} />
            )
          }
        </ListState>
      )}
    </>
  )
}

/** Form that chooses the copies; the choice is kept in the address. */
function Choice({ refused }: { refused: Record<string, string> }) {
  const [params, setParams] = useSearchParams()
  const [way, setWay] = useState<Way>(wayIn(params))
  const [from, setFrom] = useState(params.get('from') ?? '')
  const [to, setTo] = useState(params.get('to') ?? '')
  const [since, setSince] = useState(params.get('since') ?? '')
  const ways = WAYS.filter((one) => (one !== 'title' || params.has('book')) && (one !== 'batch' || params.has('batch')))

  function show(values: Record<string, string>) {
    const kept = Object.fromEntries(
      ['book', 'batch'].flatMap((name) => (params.has(name) ? [[name, params.get(name) ?? '']] : [])),
    )
    setParams({ ...kept, ...values }, { replace: true })
  }

  /** Hides the labels of the previous choice as soon as its form is edited. */
  function change(set: (value: string) => void, value: string) {
    set(value)
    if (choiceIn(params) !== null) show({ by: way })
  }

  function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault()
    show(way === 'since' ? { by: way, since } : { by: way, from: from.trim(), to: to.trim() })
  }

  return (
    <form noValidate onSubmit={submit} className={classes.choice}>
      <NativeSelect
        label={t('labels.way.label')}
        value={way}
        data={ways.map((one) => ({ value: one, label: t(`labels.way.${one}`) }))}
        onChange={(event) => {
          const next = ways.find((one) => one === event.currentTarget.value) ?? 'unprinted'
          setWay(next)
          show({ by: next })
        }}
      />
      {way === 'range' && (
        <>
          <TextInput
            label={t('labels.from')}
            placeholder={t('labels.fromExample')}
            data-path="from"
            value={from}
            autoComplete="off"
            spellCheck={false}
            error={refused['from']}
            onChange={(event) => change(setFrom, event.currentTarget.value)}
          />
          <TextInput
            label={t('labels.to')}
            placeholder={t('labels.toExample')}
            data-path="to"
            value={to}
            autoComplete="off"
            spellCheck={false}
            error={refused['to']}
            onChange={(event) => change(setTo, event.currentTarget.value)}
          />
        </>
      )}
      {way === 'since' && (
        <TextInput
          type="date"
          label={t('labels.since')}
          value={since}
          error={refused['since']}
          onChange={(event) => change(setSince, event.currentTarget.value)}
        />
      )}
      {(way === 'range' || way === 'since') && (
        <Button type="submit" variant="default" size="md">
          {t('labels.show')}
        </Button>
      )}
    </form>
  )
}

type PrintingProps = { choice: LabelChoice; labels: readonly Label[]; total: number }

function Printing({ choice, labels, total }: PrintingProps) {
  const library = useLibraryName()
  const sheets = useSheets()
  const [desk, setDesk] = useDesk()
  const [deviation] = useDeviation()
  const [asking, setAsking] = useState(false)
  const remember = useAction(rememberBatch, {
    done: ({ count }) => t('labels.remembered', { count }),
    failed: (reason) => t('labels.rememberFailed', { reason }),
  })
  const sheet = sheets.find(({ key }) => key === desk.sheet) ?? sheets[0]
  if (!sheet) return null
  const { measures } = sheet
  const slots = slotsOf(measures)
  const start = Math.min(desk.next[sheet.key] ?? 0, slots - 1)
  const look: Look = { face: desk.face, code: desk.code }
  const width = measures.width / 100
  const narrow = labels.filter(({ barcode }) => !isPrintable(look, barcode, width))
  const printed = labels.filter(({ barcode }) => isPrintable(look, barcode, width))
  const pages = paged(printed, slots, start)

  async function done() {
    const { ok, refreshed } = await remember.run({
      copies: printed.map(({ copyId }) => copyId),
      sheet: sheet?.name ?? '',
    })
    if (!ok) return
    setDesk({ ...desk, next: { ...desk.next, [sheet?.key ?? '']: (start + printed.length) % slots } })
    setAsking(false)
    await refreshed
    // The button that asked is gone with the labels.
    focusBack(null)
  }

  return (
    <div className={classes.printing}>
      <div className={classes.options}>
        <p role="status" className={classes.count}>
          {t('labels.count', { count: total, pages: pages.length })}
          {total > labels.length && ` ${t('labels.portion', { count: labels.length })}`}
        </p>
        <NativeSelect
          label={t('labels.sheet.label')}
          value={sheet.key}
          data={sheets.map(({ key, name }) => ({ value: key, label: name }))}
          onChange={(event) => setDesk({ ...desk, sheet: event.currentTarget.value })}
        />
        {slots > 1 && (
          <NumberInput
            label={t('labels.start')}
            description={t('labels.startHint')}
            value={start + 1}
            min={1}
            max={slots}
            allowDecimal={false}
            onChange={(value) => {
              const next = Math.min(slots, Math.max(1, Number(value) || 1)) - 1
              setDesk({ ...desk, next: { ...desk.next, [sheet.key]: next } })
            }}
          />
        )}
        <NativeSelect
          label={t('labels.face.label')}
          value={desk.face}
          data={(['title', 'spine'] as const).map((face) => ({ value: face, label: t(`labels.face.${face}`) }))}
          onChange={(event) => setDesk({ ...desk, face: event.currentTarget.value === 'spine' ? 'spine' : 'title' })}
        />
        <NativeSelect
          label={t('labels.code.label')}
          value={desk.code}
          data={(['bars', 'qr'] as const).map((code) => ({ value: code, label: t(`labels.code.${code}`) }))}
          onChange={(event) => setDesk({ ...desk, code: event.currentTarget.value === 'qr' ? 'qr' : 'bars' })}
        />
        <Checkbox
          label={t('labels.outlines')}
          description={t('labels.outlinesHint')}
          checked={desk.outlines}
          onChange={(event) => setDesk({ ...desk, outlines: event.currentTarget.checked })}
        />
        {narrow[0] && (
          <Alert color="red" role="alert">
            {t('labels.narrow', {
              count: narrow.length,
              barcode: narrow[0].barcode,
              module: moduleOn(look, narrow[0].barcode, width),
              least: NARROWEST,
            })}
          </Alert>
        )}
        <p className={classes.hint}>{t('labels.dialogHint')}</p>
        <Group gap="xs">
          <Button
            disabled={printed.length === 0}
            onClick={({ detail }) => {
              // Ignores the second press of a double click.
              if (detail > 1) return
              window.print()
              setAsking(true)
            }}
          >
            {t('labels.print', { count: printed.length })}
          </Button>
          <Button component="a" variant="default" href={labelsFile(choice)} download>
            {t('labels.csv')}
          </Button>
        </Group>
      </div>
      <LabelPages
        pages={pages}
        sheet={sheet}
        look={look}
        library={library}
        deviation={deviation}
        outlines={desk.outlines}
        onStart={(slot) => setDesk({ ...desk, next: { ...desk.next, [sheet.key]: slot } })}
      />
      <ConfirmModal
        opened={asking}
        title={t('labels.question')}
        confirm={t('labels.remember')}
        cancel={t('labels.forget')}
        routine
        pending={remember.pending}
        onConfirm={() => void done()}
        onClose={() => setAsking(false)}
      >
        {t('labels.questionWhat', { count: printed.length })}
        {remember.error !== null && (
          <Alert color="red" role="alert" mt="sm">
            {t('labels.rememberFailed', { reason: messageOf(remember.error) })}
          </Alert>
        )}
      </ConfirmModal>
    </div>
  )
}

type LabelPagesProps = {
  pages: readonly (readonly (Label | null)[])[]
  sheet: NamedSheet
  look: Look
  library: string
  deviation: Deviation
  outlines: boolean
  onStart: (slot: number) => void
}

/** Renders all pages; the screen shows only the first. Pressing a label position starts the print there. */
function LabelPages({ pages, sheet: { name, measures }, onStart, ...face }: LabelPagesProps) {
  const printing = useIsPrinting()
  const shown = printing ? pages : pages.slice(0, 1)
  const [wide, high] = [measures.pageWidth / 100, measures.pageHeight / 100]

  function press(event: MouseEvent<HTMLDivElement>) {
    const box = event.currentTarget.getBoundingClientRect()
    const [x, y] = [((event.clientX - box.left) / box.width) * wide, ((event.clientY - box.top) / box.height) * high]
    const slot = Array.from({ length: slotsOf(measures) }, (_, index) => slotAt(measures, index)).findIndex(
      ({ left, top, width, height }) => x >= left && x <= left + width && y >= top && y <= top + height,
    )
    if (slot >= 0) onStart(slot)
  }

  return (
    // The number field beside it does the same for the keyboard.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions
    <div className={classes.preview} onClick={press}>
      <Pages width={wide} height={high}>
        {shown.map((labels, page) => (
          <Page
            // Pages have no identity besides their number.
            // oxlint-disable-next-line react/no-array-index-key
            key={page}
            hidden={page > 0}
            label={t('labels.page', { page: page + 1, pages: pages.length, sheet: name })}
          >
            {labels.map((label, index) => (
              <Slot key={label?.copyId ?? -index} label={label} index={index} measures={measures} {...face} />
            ))}
          </Page>
        ))}
      </Pages>
      {pages.length > 1 && <p className={classes.more}>{t('labels.morePages', { count: pages.length - 1 })}</p>}
    </div>
  )
}

type SlotProps = {
  label: Label | null
  index: number
  measures: Measures
  look: Look
  library: string
  deviation: Deviation
  outlines: boolean
}

function Slot({ label, index, measures, look, library, deviation, outlines }: SlotProps) {
  const { left, top, width, height } = slotAt(measures, index, deviation)
  const drawn = outlines ? classes.outlined : label === null ? classes.used : classes.slot
  return (
    <div style={boxAt(left, top, width, height)} className={drawn} data-slot={index}>
      {label && <LabelFace label={label} look={look} library={library} width={width} height={height} />}
    </div>
  )
}
