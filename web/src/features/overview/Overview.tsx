import { useQuery } from '@tanstack/react-query'
import { overviewQuery } from '../../api/overview'
import { FirstSteps } from './FirstSteps'
import { Morning } from './Morning'

/** Waiting work of today, below the first steps of a new library; renders nothing if there is neither. */
export function Overview() {
  const { data } = useQuery(overviewQuery)
  if (!data) return null
  return (
    <>
      {data.steps && <FirstSteps steps={data.steps} today={data.today} />}
      <Morning overview={data} />
    </>
  )
}
