import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { keys } from '../api/keys'
import { listenToScans, phonesQuery } from '../api/phones'
import { newKey } from '../lib/newKey'
import { tabStorage } from '../lib/storage'
import type { Desk } from './queue'

const STORED = 'deskName'

/** Which of the browser's pages this is: phones scan for the page that paired them, also after it was loaded anew. */
function nameOfDesk(): string {
  const name = tabStorage.read(STORED) ?? newKey()
  tabStorage.write(STORED, name)
  return name
}

/** The phones that scan for this desk: what they read goes to the desk like any other scan. */
export function usePhones(desk: Desk) {
  const queries = useQueryClient()
  const [name] = useState(nameOfDesk)
  const [elsewhere, setElsewhere] = useState(false)
  const phones = useQuery(phonesQuery).data ?? []
  const own = phones.filter((phone) => phone.desk === name)
  const listens = own.length > 0 && !elsewhere

  useEffect(() => {
    if (!listens) return undefined
    const refresh = () => void queries.invalidateQueries({ queryKey: keys.phones })
    return listenToScans(
      name,
      {
        onNews: desk.hear,
        onConnected: () => undefined,
        onClosed: (why) => {
          if (why === 'elsewhere') setElsewhere(true)
          refresh()
        },
      },
      refresh,
    )
  }, [listens, name, desk, queries])

  return {
    name,
    own,
    others: phones.filter((phone) => phone.desk !== name),
    elsewhere,
    here: () => setElsewhere(false),
  }
}
