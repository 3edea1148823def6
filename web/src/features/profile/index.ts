export { CardSheet } from './CardSheet'
export { MyCard } from './MyCard'
