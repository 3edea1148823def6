import { Button, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { SlidersHorizontal } from 'lucide-react'
import { EVERY_BOOK } from '../../../api/books'
import { t } from '../../../lib/messages'
import { BookFilters, isNarrowed, useNarrowing } from './BookFilters'
import classes from './FilterSheet.module.css'
import { GenreChips } from './GenreChips'

type FilterSheetProps = {
  isSearch: boolean
  /** Number of books that the filters leave; null if it is not known, or not exactly. */
  total: number | null
}

/** Filters on a phone: a button, with a dot if any filter is set, opens them in a sheet at the bottom of the screen. */
export function FilterSheet({ isSearch, total }: FilterSheetProps) {
  const [narrowing] = useNarrowing()
  const [opened, { open, close }] = useDisclosure()
  const isSet = isNarrowed(narrowing) || narrowing.sort !== EVERY_BOOK.sort
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
      <Modal
        opened={opened}
        onClose={close}
        title={t('books.filter.open')}
        centered={false}
        yOffset={0}
        xOffset={0}
        classNames={{ inner: classes.inner, content: classes.content }}
      >
        <div className={classes.genres}>
          <GenreChips />
        </div>
        <div className={classes.fields}>
          <BookFilters isSearch={isSearch} />
        </div>
        <Button fullWidth mt="lg" onClick={close}>
          {total === null ? t('books.filter.show') : t('books.filter.showCount', { total })}
        </Button>
      </Modal>
    </>
  )
}
