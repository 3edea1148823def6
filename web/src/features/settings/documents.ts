import { previewLibrary, saveLibrary } from '../../api/settings'
import type { LibrarySettings } from '../../api/types'
import { monthText } from '../../lib/format'
import { LANGUAGES } from '../../lib/messages'
import type { SettingsDocument } from './DocumentForm'

const MONTHS = Array.from({ length: 12 }, (_, index) => index + 1)

/** Settings of the library itself, such as its name, currency, batches and departments (R-RULE-1). */
export const LIBRARY: SettingsDocument<LibrarySettings> = {
  name: 'library',
  schema: 'LibrarySettings',
  label: 'settings.tab.library',
  save: saveLibrary,
  preview: previewLibrary,
  sections: [
    {
      settings: [
        { name: 'name', kind: 'text', hint: 'settings.library.nameHint', wide: true },
        { name: 'address', kind: 'text', hint: 'settings.library.addressHint', wide: true },
        { name: 'onReceipts', kind: 'text', hint: 'settings.library.onReceiptsHint', wide: true },
        { name: 'upiAddress', kind: 'text', hint: 'settings.library.upiAddressHint' },
        { name: 'currency', kind: 'text', hint: 'settings.library.currencyHint' },
        { name: 'currencyCode', kind: 'text', hint: 'settings.library.currencyCodeHint' },
        { name: 'accessionPrefix', kind: 'text', hint: 'settings.library.accessionPrefixHint' },
        {
          name: 'language',
          kind: 'choice',
          hint: 'settings.library.languageHint',
          choices: () => Object.entries(LANGUAGES).map(([value, label]) => ({ value, label })),
        },
        {
          name: 'financialYearMonth',
          kind: 'choice',
          numeric: true,
          hint: 'settings.library.financialYearMonthHint',
          choices: () => MONTHS.map((month) => ({ value: String(month), label: monthText(month) })),
        },
        {
          name: 'forgetAfterMonths',
          kind: 'number',
          hint: 'settings.library.forgetAfterMonthsHint',
          affectsLoans: true,
        },
        {
          name: 'suggestions',
          kind: 'switch',
          label: 'settings.library.suggestions',
          hint: 'settings.library.suggestionsHint',
        },
        { name: 'batches', kind: 'lines', label: 'settings.library.batches', hint: 'settings.library.batchesHint' },
        {
          name: 'departments',
          kind: 'lines',
          label: 'settings.library.departments',
          hint: 'settings.library.departmentsHint',
        },
      ],
    },
  ],
}
