/** The ways in beside the password, and what follows it: one chunk, because most who need one part need another. */
export { OtherWays } from './OtherWays'
export { ProviderReturn } from './ProviderReturn'
export { SecondStep } from './SecondStep'
