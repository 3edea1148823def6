import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { SlidersHorizontal } from 'lucide-react'
import { Chunk, lazyChunk } from '../../../lib/lazyChunk'
import { t } from '../../../lib/messages'
import { notify } from '../../../lib/notify'
import { isNarrowed, useNarrowing, type BookFiltersProps } from './BookFilters'
import classes from './FilterSheet.module.css'

const FilterSheet = lazyChunk('filter-sheet', () => import('./FilterSheet'))

type FilterButtonProps = BookFiltersProps & {
  /** Number of books that the filters leave; null if it is not known, or not exactly. */
  total: number | null
}

/** Filters on a phone: a button, with a dot if any filter is set, opens them in a sheet at the bottom of the screen. */
export function FilterButton({ isSearch, usualSort, total }: FilterButtonProps) {
  const [narrowing] = useNarrowing(usualSort)
  const [opened, { open, close }] = useDisclosure()
  const isSet = isNarrowed(narrowing) || narrowing.sort !== usualSort || narrowing.from !== ''
  return (
    <>
      <Button
        variant="default"
        size="sm"
        className={classes.button}
        leftSection={<SlidersHorizontal data-size="18" />}
        aria-label={isSet ? t('books.filter.openSet') : t('books.filter.open')}
        data-set={isSet || undefined}
        onClick={open}
      >
        {t('books.filter.open')}
      </Button>
      {opened && (
        <Chunk
          part={FilterSheet}
          onFailed={() => {
            close()
            notify.failure(t('common.unreachable'))
          }}
        >
          <FilterSheet isSearch={isSearch} usualSort={usualSort} total={total} onClose={close} />
        </Chunk>
      )}
    </>
  )
}
