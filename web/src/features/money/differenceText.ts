import { t } from '../../lib/messages'

/** Describes a difference: "₹2 too little". */
export const differenceText = (difference: number): string =>
  difference === 0
    ? t('money.close.none')
    : difference < 0
      ? t('money.close.short', { amount: -difference })
      : t('money.close.over', { amount: difference })
