/** Exit codes of every command, and the code of an error that has none of its own. The table in README.md is generated from this one. */
export const EXIT_CODES = {
  held: { code: 0, error: null, meaning: 'the contract held (or: the report is compatible)' },
  failed: { code: 1, error: 'QL3_CONTRACT', meaning: 'the contract did not hold (or: the auditor has findings)' },
  usage: { code: 2, error: 'QL3_USAGE', meaning: 'usage: bad arguments or environment, unreadable report, refused path' },
  unfit: { code: 3, error: 'QL3_ENVIRONMENT', meaning: 'the environment cannot run it; the message says why' },
  defect: { code: 4, error: 'QL3_DEFECT', meaning: 'a defect of the harness itself' },
  uncleaned: { code: 6, error: 'QL3_UNCLEANED', meaning: 'held, but clean-up is incomplete' },
} as const;
