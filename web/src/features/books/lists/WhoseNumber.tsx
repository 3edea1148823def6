import { Alert } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { rollNumberQuery } from '../../../api/people'
import { rich } from '../../../lib/messages'
import { paths } from '../../../screens'

/** Offers the person whose roll number a librarian typed in the book search. */
export function WhoseNumber({ text }: { text: string }) {
  const mayBe = /\d/.test(text)
  const { data: person } = useQuery({ ...rollNumberQuery(text), enabled: mayBe })
  if (!mayBe || !person) return null
  return (
    <Alert color="teal" role="status" mb="lg">
      {rich('books.search.person', {
        number: person.rollNumber ?? text,
        name: person.name,
        link: (words) => <Link to={paths.person(person.uid)}>{words}</Link>,
      })}
    </Alert>
  )
}
