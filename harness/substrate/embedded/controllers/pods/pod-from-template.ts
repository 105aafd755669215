import type { Draft } from '../runtime/cluster-client.ts';
import type { PodTemplate, StoredObject } from '../runtime/objects.ts';
import { controllerReference } from '../runtime/ownership.ts';

/** A Pod owned by the controller object, named after it with a suffix that the API server chooses. */
export function podFromTemplate(owner: StoredObject, template: PodTemplate): Draft {
  if (template?.spec === undefined) throw new Error(`${owner.kind} ${owner.metadata.name} has no Pod template; the API server must not have stored it`);
  const { labels, annotations, finalizers } = template.metadata ?? {};
  return {
    metadata: {
      generateName: `${owner.metadata.name}-`,
      ...(owner.metadata.namespace === undefined ? {} : { namespace: owner.metadata.namespace }),
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ownerReferences: [controllerReference(owner)],
    },
    spec: structuredClone(template.spec),
  };
}
