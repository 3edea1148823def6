/** Other ways to sign in, and the second step: one chunk, because most visitors who need one part need another. */
export { OtherWays } from './OtherWays'
export { ProviderReturn } from './ProviderReturn'
export { SecondStep } from './SecondStep'
