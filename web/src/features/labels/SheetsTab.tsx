import { Alert, Button, Group, NumberInput, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState, type SubmitEvent } from 'react'
import { useAction } from '../../api/action'
import { deleteSheet, labelSheetsQuery } from '../../api/labels'
import type { LabelSheet } from '../../api/types'
import { t } from '../../lib/messages'
import { notify } from '../../lib/notify'
import { boxAt, mm, Page, Pages } from '../../print/Pages'
import { ConfirmModal } from '../../ui/ConfirmModal'
import { EmptyState } from '../../ui/EmptyState'
import { ListState } from '../../ui/ListState'
import { ResponsiveTable } from '../../ui/ResponsiveTable'
import { useDeviation } from './kept'
import classes from './Labels.module.css'
import { MeasureSheet } from './MeasureSheet'
import { deviationOf, EXACT, PRESETS, rulersOn, slotsOf, type Deviation } from './sheets'

/** The library's own sheets, and the test page of this desk's printer. */
export function SheetsTab() {
  return (
    <>
      <OwnSheets />
      <Calibration />
    </>
  )
}

function OwnSheets() {
  const query = useQuery(labelSheetsQuery)
  const [measuring, setMeasuring] = useState<LabelSheet | 'new' | null>(null)
  const [leaving, setLeaving] = useState<LabelSheet | null>(null)
  const remove = useAction(deleteSheet, {
    done: () => t('labels.own.deleted'),
    failed: (reason) => t('labels.own.deleteFailed', { reason }),
  })
  return (
    <section aria-labelledby="own-sheets">
      <div className={classes.head}>
        <Title order={2} id="own-sheets">
          {t('labels.own.title')}
        </Title>
        <Button variant="default" onClick={() => setMeasuring('new')}>
          {t('labels.own.measure')}
        </Button>
      </div>
      <ListState query={query} lines={2}>
        {(sheets) =>
          sheets.length === 0 ? (
            <EmptyState message={t('labels.own.none')} />
          ) : (
            <ResponsiveTable<LabelSheet>
              label={t('labels.own.title')}
              dense
              rows={sheets}
              keyOf={({ id }) => id}
              columns={[
                { title: t('labels.own.name'), cell: ({ measures }) => <span dir="auto">{measures.name}</span> },
                {
                  title: t('labels.own.labels'),
                  cell: ({ measures: sheet }) =>
                    t('labels.own.size', {
                      count: slotsOf(sheet),
                      width: sheet.width / 100,
                      height: sheet.height / 100,
                    }),
                },
                {
                  title: t('labels.batch.actions'),
                  bare: true,
                  cell: (sheet) => (
                    <Group gap="xs">
                      <Button
                        variant="default"
                        size="compact-sm"
                        h={34}
                        aria-label={t('labels.own.editNamed', { name: sheet.measures.name })}
                        onClick={() => setMeasuring(sheet)}
                      >
                        {t('labels.own.edit')}
                      </Button>
                      <Button
                        variant="subtle"
                        size="compact-sm"
                        h={34}
                        aria-label={t('labels.own.deleteNamed', { name: sheet.measures.name })}
                        onClick={() => setLeaving(sheet)}
                      >
                        {t('labels.own.delete')}
                      </Button>
                    </Group>
                  ),
                },
              ]}
            />
          )
        }
      </ListState>
      {measuring !== null && (
        <MeasureSheet sheet={measuring === 'new' ? null : measuring} onClose={() => setMeasuring(null)} />
      )}
      <ConfirmModal
        opened={leaving !== null}
        title={t('labels.own.question')}
        confirm={t('labels.own.delete')}
        danger
        pending={remove.pending}
        onConfirm={() => {
          if (leaving) void remove.run(leaving.id).then(() => setLeaving(null))
        }}
        onClose={() => setLeaving(null)}
      >
        {t('labels.own.questionWhat', { name: leaving?.measures.name ?? '' })}
      </ConfirmModal>
    </section>
  )
}

const PAPERS = { a4: PRESETS[0], letter: PRESETS[3] }
/** False for a deviation that is too large for a printer and must have been measured wrongly. */
const plausible = ({ scaleX, scaleY, shiftX, shiftY }: Deviation): boolean =>
  [scaleX, scaleY].every((scale) => scale > 0.85 && scale < 1.15) &&
  [shiftX, shiftY].every((shift) => Math.abs(shift) < 20)

const rounded = (length: number) => Math.round(length * 10) / 10

/** Form for the places and lengths measured on the test page, to correct the labels of this desk's printer. */
function Calibration() {
  const [deviation, setDeviation] = useDeviation()
  const rulers = rulersOn(PAPERS.a4)
  const printed = (at: number, scale: number, shift: number) => rounded(at * scale + shift)
  const [values, setValues] = useState<Record<'left' | 'top' | 'across' | 'down', number | string>>({
    left: printed(rulers.left, deviation.scaleX, deviation.shiftX),
    top: printed(rulers.top, deviation.scaleY, deviation.shiftY),
    across: rounded(rulers.across * deviation.scaleX),
    down: rounded(rulers.down * deviation.scaleY),
  })
  const [wrong, setWrong] = useState(false)
  const isExact = Object.entries(EXACT).every(([name, value]) => deviation[name as keyof Deviation] === value)

  function save(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault()
    const measured = deviationOf(rulers, {
      left: Number(values.left),
      top: Number(values.top),
      across: Number(values.across),
      down: Number(values.down),
    })
    setWrong(!plausible(measured))
    if (!plausible(measured)) return
    setDeviation(measured)
    notify.success(t('labels.test.saved'))
  }

  return (
    <section aria-labelledby="test-page" className={classes.part}>
      <Title order={2} id="test-page">
        {t('labels.test.title')}
      </Title>
      <div className={classes.printing}>
        <div className={classes.options}>
          <p className={classes.hint}>{t('labels.test.what')}</p>
          <p className={classes.hint}>{t('labels.dialogHint')}</p>
          <Group>
            <Button variant="default" onClick={() => window.print()}>
              {t('labels.test.print')}
            </Button>
          </Group>
          <form noValidate onSubmit={save} className={classes.options}>
            {(['left', 'top', 'across', 'down'] as const).map((field) => (
              <NumberInput
                key={field}
                label={t(`labels.test.${field}`)}
                decimalScale={1}
                value={values[field]}
                onChange={(value) => setValues({ ...values, [field]: value })}
              />
            ))}
            {wrong && (
              <Alert color="red" role="alert">
                {t('labels.test.wrong', { across: rulers.across, down: rulers.down })}
              </Alert>
            )}
            <Group gap="xs">
              <Button type="submit">{t('labels.test.save')}</Button>
              {!isExact && (
                <Button
                  variant="subtle"
                  onClick={() => {
                    setDeviation(EXACT)
                    setValues({ left: rulers.left, top: rulers.top, across: rulers.across, down: rulers.down })
                  }}
                >
                  {t('labels.test.reset')}
                </Button>
              )}
            </Group>
          </form>
        </div>
        <TestPage />
      </div>
    </section>
  )
}

/** Rulers with a mark at every centimetre, and a cross at each end. */
function TestPage() {
  const { pageWidth, pageHeight } = PAPERS.a4
  const { left, top, across, down } = rulersOn(PAPERS.a4)
  const marks = (length: number) => Array.from({ length: length / 10 + 1 }, (_, index) => index * 10)
  const [right, bottom] = [left + across, top + down]
  return (
    <Pages width={pageWidth / 100} height={pageHeight / 100}>
      <Page label={t('labels.test.title')}>
        <svg viewBox={`0 0 ${pageWidth / 100} ${pageHeight / 100}`} className={classes.rulers} aria-hidden="true">
          <path
            d={`M${left} ${top}h${across}M${left} ${top}v${down}M${right} ${top}v${down}M${left} ${bottom}h${across}`}
          />
          {marks(across).map((at) => (
            <path key={at} d={`M${left + at} ${top}v${at % 50 === 0 ? 6 : 3}`} />
          ))}
          {marks(down).map((at) => (
            <path key={at} d={`M${left} ${top + at}h${at % 50 === 0 ? 6 : 3}`} />
          ))}
          {[
            [left, top],
            [right, top],
            [left, bottom],
            [right, bottom],
          ].map(([x = 0, y = 0]) => (
            <path key={`${x} ${y}`} d={`M${x - 5} ${y}h10M${x} ${y - 5}v10`} />
          ))}
        </svg>
        <p style={{ ...boxAt(left + 12, top + 12, across - 24, 30), fontSize: mm(4), margin: 0 }} dir="auto">
          {t('labels.test.onPaper', { across, down })}
        </p>
      </Page>
    </Pages>
  )
}
