import { DELIVERY, HOST_ISSUER, JOB_ISSUER, RECOVERY_ISSUER } from '../identities.ts';
import type { ObservedObject } from '../observation.ts';
import { nothing, rule, type Rule } from '../verdict.ts';
import { DELIVERY_REVIEWS, ISSUER_REVIEWS, type ExpectedReview } from './access-reviews.ts';
import { listAt, textAt, textsAt } from './fields.ts';
import { foreignImpersonations } from './foreign-impersonation.ts';
import { foreignRoleWrites } from './foreign-writes.ts';
import { fact, type ObservedRun } from './observed-run.ts';

/** Reviews say what was asked; the Roles say all that there is, as long as nobody changes them or stands in for another. */
export const rightsRules = fact((run: ObservedRun): Rule[] => {
  const read = run.of('api.object');
  const bindings = read.filter(({ body }) => body.object.kind === 'RoleBinding');
  const granted = bindings.flatMap(({ body }) => accessesOf(body.object, read.map((each) => each.body.object)));
  return [
    rule('the Roles give the delivery its eight accesses, the issuers their one, and nobody anything else', granted.sort().join() === EXPECTED.join(), bindings),
    nothing('nobody but the administrator acted in the name of another, and then in that of a user who asks for tokens', foreignImpersonations(run)),
    nothing('nobody but the administrator made a Role or a binding, and nobody changed one', foreignRoleWrites(run)),
  ];
});

const EXPECTED: readonly string[] = [...accessesIn(DELIVERY, DELIVERY_REVIEWS), ...[HOST_ISSUER, JOB_ISSUER, RECOVERY_ISSUER].flatMap((issuer) => accessesIn(issuer, ISSUER_REVIEWS))].sort();

function accessesIn(identity: string, reviews: readonly ExpectedReview[]): string[] {
  return reviews.filter(({ allowed }) => allowed).map(({ verb, group, resource, subresource, namespace, name = '' }) => [identity, namespace, verb, group, subresource === undefined ? resource : `${resource}/${subresource}`, name].join(' '));
}

/** Each subject with each verb of each rule of the bound Role, in the Role's own words: it names one kind of object at a time. One that was not read could give anything. */
function accessesOf(binding: ObservedObject, objects: readonly ObservedObject[]): string[] {
  const { namespace } = binding.metadata;
  const role = objects.find(({ kind, metadata }) => kind === textAt(binding, 'roleRef', 'kind') && metadata.namespace === namespace && metadata.name === textAt(binding, 'roleRef', 'name'));
  const accesses = role === undefined ? ['?'] : listAt(role, 'rules').flatMap((each) => textsAt(each, 'verbs').map((verb) => [verb, ...['apiGroups', 'resources', 'resourceNames'].map((field) => textsAt(each, field).join())].join(' ')));
  return listAt(binding, 'subjects').flatMap((subject) => accesses.map((access) => `${identityOf(subject)} ${namespace} ${access}`));
}

function identityOf(subject: unknown): string {
  const name = textAt(subject, 'name') ?? '';
  return textAt(subject, 'kind') === 'ServiceAccount' ? `system:serviceaccount:${textAt(subject, 'namespace')}:${name}` : textAt(subject, 'kind') === 'User' ? name : '?';
}
