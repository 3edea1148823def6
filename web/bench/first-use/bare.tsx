/**
 * Bare program of a student's home: the libraries of the screens, a search box and a page of cards, in one script. It has
 * no session, words, filters, notices, carousel or service worker, so its first book is the limit of these libraries.
 */
import { Button, Card, Group, MantineProvider, Menu, Text, TextInput, Title } from '@mantine/core'
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { BrowserRouter, Link } from 'react-router'
import '@mantine/core/styles.css'

type Shown = { id: number; title: string; author: string }

function Home() {
  const { data } = useQuery<{ books: Shown[] }>({
    queryKey: ['books'],
    queryFn: async () => (await fetch('/library/api/v1/books?limit=12')).json() as Promise<{ books: Shown[] }>,
  })
  return (
    <main>
      <Group>
        <Title order={1}>Find a book</Title>
        <Menu>
          <Menu.Target>
            <Button>Filter</Button>
          </Menu.Target>
        </Menu>
      </Group>
      <TextInput type="search" aria-label="Search" />
      {data?.books.map(({ id, title, author }) => (
        <Card key={id}>
          <Link to={`/library/stubook-detail/${id}`}>{title}</Link>
          <Text>{author}</Text>
        </Card>
      ))}
    </main>
  )
}

createRoot(document.querySelector('#root')!).render(
  <MantineProvider>
    <QueryClientProvider client={new QueryClient()}>
      <BrowserRouter>
        <Home />
      </BrowserRouter>
    </QueryClientProvider>
  </MantineProvider>,
)
