import { CONTRACT_NAMES as NAMES } from '../../../evidence/contract-names.ts';
import { HarnessError } from '../../run/errors.ts';
import { toClusterError } from '../apply.ts';
import type { ContractContext } from '../context.ts';

/** A token that is about to be replaced, kept in memory to be presented once more when it must not be accepted. Zeroed by its user. */
export interface KeptToken {
  readonly probe: 'superseded-token' | 'revoked-token';
  readonly credentialId: string;
  readonly token: Buffer;
}

export async function keepTargetToken(context: ContractContext, probe: KeptToken['probe'], credentialId: string): Promise<KeptToken> {
  const { workerNamespace: namespace, targetSecret: name, targetDataKey } = NAMES;
  let data: Readonly<Record<string, string>> | undefined;
  try {
    ({ data } = await context.cluster.core.readNamespacedSecret({ namespace, name }));
  } catch (error) {
    throw toClusterError(`read Secret ${namespace}/${name}`, error);
  }
  const encoded = data?.[targetDataKey];
  if (encoded === undefined) throw new HarnessError('QL3_CONTRACT', `expected Secret ${namespace}/${name} to hold ${targetDataKey} of ${credentialId}, got the keys ${Object.keys(data ?? {}).join(', ') || 'none'}`);
  return { probe, credentialId, token: Buffer.from(encoded, 'base64') };
}
