import { Alert } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { sameTitleQuery } from '../../../api/books'
import type { Book } from '../../../api/types'
import { quoted } from '../../../lib/format'
import { rich } from '../../../lib/messages'
import { paths } from '../../../screens'

const QUIET_MS = 400

/** Warns that a book with this title and author exists: further copies belong to its record. */
export function AlreadyThere({ title, author }: { title: string; author: string }) {
  const [[of, by]] = useDebouncedValue([title.trim(), author.trim()] as const, QUIET_MS)
  const { data } = useQuery({ ...sameTitleQuery(of), enabled: of !== '' && by !== '' })
  const there = of === '' || by === '' ? undefined : data?.books.find((book) => isSame(book, of, by))
  return (
    there && (
      <Alert color="teal" role="status">
        {rich('books.edit.add.there', {
          title: quoted(there.title),
          author: there.author,
          link: (words) => <Link to={paths.updateBook(there.id)}>{words}</Link>,
        })}
      </Alert>
    )
  )
}

const isSame = (book: Book, title: string, author: string) =>
  folded(book.title) === folded(title) && folded(book.author) === folded(author)

/** Folds a text for comparison: ignores case, accents, dots and spaces, and on which keyboard an Urdu letter was typed. */
const folded = (text: string) =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{Mc}]/gu, '')
    .replaceAll(/[\u06cc\u0649]/g, '\u064a')
    .replaceAll('\u06a9', '\u0643')
    .replaceAll(/[\u06c1\u06d5\u0629\u06c3]/g, '\u0647')
