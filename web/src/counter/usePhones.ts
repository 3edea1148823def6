import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { keys } from '../api/keys'
import { listenToScans, phonesQuery } from '../api/phones'
import { newKey } from '../lib/newKey'
import { tabStorage } from '../lib/storage'
import type { Desk } from './queue'

const STORED = 'deskName'

/** Returns the id of this page, stable over reloads: phones scan for the page that paired them. */
function nameOfDesk(): string {
  const name = tabStorage.read(STORED) ?? newKey()
  tabStorage.write(STORED, name)
  return name
}

/** Returns the phones of this desk, and passes their scans to it. */
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
        onNews: desk.scanFromPhone,
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
