import { Button } from '@mantine/core'
import { useState } from 'react'
import { useMay } from '../../api/account'
import type { FoundPrice as Price } from '../../api/types'
import { quoted } from '../../lib/format'
import { t } from '../../lib/messages'
import classes from './Account.module.css'
import { FoundPrice } from './FoundPrice'

/** Prices charged for lost copies that were found; each has a button until the charge is cancelled (R-MONEY-4). */
export function FoundPrices({ prices }: { prices: readonly Price[] }) {
  const [asked, setAsked] = useState<Price | null>(null)
  const may = useMay('money')
  return (
    <>
      {prices.length > 0 && (
        <ul className={classes.found} aria-label={t('money.found.list')}>
          {prices.map((price) => {
            const { charge, title, barcode, userName: name, amount, paid } = price
            const facts = { title: quoted(title), barcode, name, amount, paid }
            return (
              <li key={charge}>
                <span dir="auto">{t(paid > 0 ? 'money.found.listedPaid' : 'money.found.listed', facts)}</span>
                {may && (
                  <Button
                    variant="default"
                    size="compact-sm"
                    h={34}
                    aria-label={`${t('money.found.open')} ${quoted(title)}`}
                    onClick={() => setAsked(price)}
                  >
                    {t('money.found.open')}
                  </Button>
                )}
              </li>
            )
          })}
        </ul>
      )}
      {asked && <FoundPrice lost={asked} onClose={() => setAsked(null)} />}
    </>
  )
}
