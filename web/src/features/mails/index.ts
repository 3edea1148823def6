export { FailedMails } from './FailedMails'
