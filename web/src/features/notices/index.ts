/** Loads the notices on the home that require an action. */
export const loadUrgentNotices = () => import('./UrgentNotices')
