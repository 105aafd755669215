/** SQL for the database's clock in Unix milliseconds: the clock at the time of evaluation, not of the transaction's start. */
export const DATABASE_NOW_MS = '(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)';
