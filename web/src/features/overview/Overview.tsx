import { useQuery } from '@tanstack/react-query'
import { overviewQuery } from '../../api/overview'
import { FirstSteps } from './FirstSteps'
import { Morning } from './Morning'

/** What waits today, and before that the first steps of a new library. Nothing while nothing waits. */
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
