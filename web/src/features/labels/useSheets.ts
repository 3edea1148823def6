import { useQuery } from '@tanstack/react-query'
import { labelSheetsQuery } from '../../api/labels'
import { t } from '../../lib/messages'
import { PRESETS, slotsOf, type Measures } from './sheets'

export type NamedSheet = { key: string; name: string; measures: Measures }

/** Returns the presets, followed by the library's own sheets. */
export function useSheets(): readonly NamedSheet[] {
  const { data = [] } = useQuery(labelSheetsQuery)
  return [
    ...PRESETS.map((measures) => ({ key: measures.key, name: presetName(measures), measures })),
    ...data.map(({ id, measures }) => ({ key: `own-${id}`, name: measures.name, measures })),
  ]
}

function presetName(sheet: (typeof PRESETS)[number]): string {
  const size = { width: sheet.width / 100, height: sheet.height / 100 }
  if (slotsOf(sheet) === 1) return t('labels.sheet.roll', size)
  return t('labels.sheet.named', {
    paper: sheet.pageWidth === 21_000 ? 'A4' : 'Letter',
    count: slotsOf(sheet),
    ...size,
  })
}
