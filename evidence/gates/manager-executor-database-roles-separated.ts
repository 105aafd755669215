import { databasePlatformRules } from '../facts/database-platform.ts';
import { fact, type ObservedRun } from '../facts/observed-run.ts';
import { DATABASE_ROLES } from '../identities.ts';
import type { ObservationBodies } from '../observation.ts';
import { databaseForbiddenStatement } from '../probes/database-forbidden-statement.ts';
import { rule, ruleOf, verdict } from '../verdict.ts';

type Connection = ObservationBodies['database.current-user']['connection'];

/** Planning and executing ran as two roles of the database, as every other part did as its own, and each was refused a statement beyond its grants. */
export const managerExecutorDatabaseRolesSeparated = fact((run: ObservedRun) =>
  verdict([
    ...(Object.keys(DATABASE_ROLES) as Connection[]).map((connection) => {
      const users = run.of('database.current-user').filter(({ body }) => body.connection === connection);
      const expected = DATABASE_ROLES[connection];
      const met = users.length > 0 && users.every(({ body }) => body.currentUser === expected && body.sessionUser === expected);
      return rule(`the ${connection} connection is ${expected}, by login and not by SET ROLE`, met, users);
    }),
    ...databasePlatformRules(run),
    ruleOf('every role was refused a forbidden statement', databaseForbiddenStatement(run)),
  ]),
);
