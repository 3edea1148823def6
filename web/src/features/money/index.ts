export { MyAccount, MyBalance, PersonAccount } from './AccountPanel'
export { DeclareLost } from './DeclareLost'
export { FoundPrice } from './FoundPrice'
export { TakeMoney } from './TakeMoney'
