import { Alert } from '@mantine/core'
import type { ReactNode } from 'react'
import { useLibraryName } from '../../api/config'
import { Chunk, lazyChunk } from '../../lib/lazyChunk'
import { t } from '../../lib/messages'
import { messageOf } from '../../lib/problem'
import { LogoMark } from '../../ui/LogoMark'
import { LanguageSwitch } from '../../ui/LanguageSwitch'
import classes from './AccountPage.module.css'

const CoverWall = lazyChunk('cover-wall', () => import('./CoverWall'))

/** Layout of the screens for visitors: a branding panel on the left, one column on the right. */
export function AccountPage({ children }: { children: ReactNode }) {
  const name = useLibraryName()
  return (
    <div className={classes.page}>
      <aside className={classes.panel} aria-label="My Library">
        <div className={classes.words}>
          <p className={classes.brand}>
            <LogoMark size={34} />
            My Library
          </p>
          {name !== '' && (
            <p className={classes.name} dir="auto">
              {name}
            </p>
          )}
          <p className={classes.sentence}>{t('account.brand.sentence')}</p>
        </div>
        {/* Phones hide the panel. */}
        {matchMedia('(min-width: 48em)').matches && (
          <Chunk part={CoverWall}>
            <CoverWall />
          </Chunk>
        )}
      </aside>
      <main id="main" tabIndex={-1} className={classes.main}>
        <div className={classes.language}>
          <LanguageSwitch />
        </div>
        <div className={classes.column}>
          <p className={classes.smallBrand}>
            <LogoMark />
            My Library
          </p>
          {name !== '' && (
            <p className={classes.smallName} dir="auto">
              {name}
            </p>
          )}
          {children}
        </div>
      </main>
    </div>
  )
}

/** Alert above a form with the reason of its failure, if any: an error, or a text. */
export const Failure = ({ of }: { of: unknown }) =>
  of !== null && (
    <Alert color="red" mt="lg" role="alert">
      {typeof of === 'string' ? of : messageOf(of)}
    </Alert>
  )
