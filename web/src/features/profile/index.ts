export { CardSheet } from './CardSheet'
