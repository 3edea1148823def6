import { Button } from '@mantine/core'
import { t } from '../../../lib/messages'
import { Dialog } from '../../../ui/Dialog'
import { BookFilters, type BookFiltersProps } from './BookFilters'
import classes from './FilterSheet.module.css'
import { GenreChips } from './GenreChips'

type FilterSheetProps = BookFiltersProps & { total: number | null; onClose: () => void }

/** Sheet of filters at the bottom of a phone's screen. */
export default function FilterSheet({ isSearch, usualSort, total, onClose }: FilterSheetProps) {
  return (
    <Dialog
      onClose={onClose}
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
        <BookFilters isSearch={isSearch} usualSort={usualSort} />
      </div>
      <Button fullWidth mt="lg" onClick={onClose}>
        {total === null ? t('books.filter.show') : t('books.filter.showCount', { total })}
      </Button>
    </Dialog>
  )
}
