export { CardsOfList } from './CardsOfList'
