import { NumberInput, Stack, TextInput } from '@mantine/core'
import { useActionForm } from '../../api/form'
import { saveSheet } from '../../api/labels'
import type { LabelSheet, SheetForm } from '../../api/types'
import { t } from '../../lib/messages'
import { messageOf } from '../../lib/problem'
import { Dialog } from '../../ui/Dialog'
import { DialogEnd } from '../../ui/DialogEnd'
import classes from './Labels.module.css'
import { PRESETS } from './sheets'

/** Fields in millimetres, in the order in which they are measured. */
const LENGTHS = ['pageWidth', 'pageHeight', 'width', 'height', 'left', 'top', 'lastLeft', 'lastTop'] as const
const COUNTS = ['columns', 'rows'] as const
type Field = (typeof LENGTHS)[number] | (typeof COUNTS)[number]
type Values = { name: string } & Record<Field, number | string>

/** Form for the measures of a sheet: the paper, a label, and the positions of the first and the last label. */
export function MeasureSheet({ sheet, onClose }: { sheet: LabelSheet | null; onClose: () => void }) {
  const measures = sheet?.measures ?? PRESETS[0]
  const inMillimetres = Object.fromEntries(LENGTHS.map((field) => [field, measures[field] / 100])) as Record<
    Field,
    number
  >
  const { form, onSubmit, pending, failure } = useActionForm<Values, SheetForm, LabelSheet>({
    action: saveSheet,
    initial: { name: sheet?.measures.name ?? '', ...inMillimetres, columns: measures.columns, rows: measures.rows },
    inputOf: (values) => {
      const hundredths = (field: Field) => Math.round(Number(values[field]) * 100)
      return {
        name: values.name,
        pageWidth: hundredths('pageWidth'),
        pageHeight: hundredths('pageHeight'),
        width: hundredths('width'),
        height: hundredths('height'),
        left: hundredths('left'),
        top: hundredths('top'),
        lastLeft: hundredths('lastLeft'),
        lastTop: hundredths('lastTop'),
        columns: Math.round(Number(values.columns)),
        rows: Math.round(Number(values.rows)),
      }
    },
    validate: Object.fromEntries([
      ['name', (name: string) => (name.trim() === '' ? t('labels.own.nameMissing') : null)],
      ...[...LENGTHS, ...COUNTS].map((field) => [
        field,
        (value: unknown) => (value === '' ? t('labels.own.missing') : null),
      ]),
    ]),
    done: ({ measures: { name } }) => t('labels.own.saved', { name }),
    onDone: onClose,
  })
  return (
    <Dialog onClose={onClose} title={t(sheet ? 'labels.own.editTitle' : 'labels.own.measureTitle')} size="lg">
      <form noValidate onSubmit={onSubmit}>
        <Stack>
          <p className={classes.hint}>{t('labels.own.how')}</p>
          <TextInput
            label={t('labels.own.name')}
            description={t('labels.own.nameHint')}
            data-autofocus
            {...form.getInputProps('name')}
          />
          <div className={classes.measures}>
            {[...LENGTHS.slice(0, 2), ...COUNTS, ...LENGTHS.slice(2)].map((field) => (
              <NumberInput
                key={field}
                label={t(`labels.measure.${field}`)}
                clampBehavior="none"
                decimalScale={field === 'columns' || field === 'rows' ? 0 : 2}
                {...form.getInputProps(field)}
              />
            ))}
          </div>
          <DialogEnd
            failure={failure === null ? null : t('labels.own.saveFailed', { reason: messageOf(failure) })}
            submit={t('labels.own.save')}
            pending={pending}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  )
}
