import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ManifestError } from './error.ts';
import { applyJsonPatch, type JsonPatchOperation } from './json-patch.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './json-value.ts';
import { strategicMerge } from './strategic-merge.ts';
import { readYamlDocuments } from './yaml-documents.ts';

interface Patch {
  readonly path: string;
  readonly target: { readonly kind?: string; readonly name?: string };
}

interface Kustomization {
  readonly resources: readonly string[];
  readonly patches: readonly Patch[];
}

export interface Resource {
  readonly object: JsonObject;
  /** As the base calls it, so that a patch finds what an earlier one has renamed. */
  readonly originalName: string;
  /** Where it stands, and what has changed it since, in order. */
  readonly file: string;
  readonly patches: readonly string[];
}

/**
 * Builds a folder as `kubectl kustomize` does, for the part of kustomize that `manifests/` uses: resources (files and
 * folders) and patches with a target. Anything else in a kustomization is refused rather than passed over.
 */
export function buildKustomization(folder: string): JsonObject[] {
  return buildResources(folder).map((resource) => resource.object);
}

/** The same, and the files that each object comes from. */
export function buildResources(folder: string): Resource[] {
  const file = join(folder, 'kustomization.yaml');
  const kustomization = parseKustomization(file);
  const resources = kustomization.resources.flatMap((entry) => {
    const path = join(folder, entry);
    return statSync(path).isDirectory() ? buildResources(path) : readResources(path);
  });
  return kustomization.patches.reduce((patched, patch) => applyPatch(patched, patch, file), resources);
}

function readResources(path: string): Resource[] {
  return readYamlDocuments(path).map((document) => {
    if (!isJsonObject(document) || !isJsonObject(document.metadata) || typeof document.metadata.name !== 'string') {
      throw new ManifestError('MANIFEST_FILE_INVALID', `${path} holds a document that is not a Kubernetes object with a name`);
    }
    return { object: document, originalName: document.metadata.name, file: path, patches: [] };
  });
}

function applyPatch(resources: Resource[], patch: Patch, file: string): Resource[] {
  const path = join(dirname(file), patch.path);
  const content = readYamlDocuments(path)[0];
  const isTarget = ({ object, originalName }: Resource) =>
    (patch.target.kind === undefined || patch.target.kind === object.kind) &&
    (patch.target.name === undefined || patch.target.name === originalName);
  if (!resources.some(isTarget)) throw new ManifestError('MANIFEST_PATCH_FAILED', `${path} has no target in ${file}`);
  return resources.map((resource) => (isTarget(resource) ? { ...resource, object: patched(resource.object, content, path), patches: [...resource.patches, path] } : resource));
}

function patched(object: JsonObject, content: JsonValue | undefined, path: string): JsonObject {
  const result = structuredClone(object);
  if (Array.isArray(content)) {
    try {
      applyJsonPatch(result, content as unknown as JsonPatchOperation[]);
    } catch (error) {
      throw new ManifestError('MANIFEST_PATCH_FAILED', `${path}: ${(error as Error).message}`, { cause: error });
    }
    return result;
  }
  if (!isJsonObject(content)) throw new ManifestError('MANIFEST_FILE_INVALID', `${path} is neither a patch list nor an object`);
  // As in kustomize, a merge patch names its object and does not rename it.
  const { name, namespace } = object.metadata as JsonObject;
  const merged = strategicMerge(result, content);
  return { ...merged, metadata: { ...(merged.metadata as JsonObject), name: name as string, ...(namespace === undefined ? {} : { namespace }) } };
}

function parseKustomization(file: string): Kustomization {
  const content = readYamlDocuments(file)[0];
  if (!isJsonObject(content)) throw new ManifestError('MANIFEST_FILE_INVALID', `${file} is empty`);
  const { apiVersion: _apiVersion, kind: _kind, resources = [], patches = [], ...others } = content;
  const unknown = Object.keys(others);
  if (unknown.length > 0) throw new ManifestError('MANIFEST_FILE_INVALID', `${file} uses ${unknown.join(', ')}; only resources and patches are built here`);
  return { resources: resources as string[], patches: (patches as unknown as Patch[]).map((patch) => parsePatch(patch, file)) };
}

function parsePatch(patch: Patch, file: string): Patch {
  const { path, target, ...others } = patch;
  const unknownTarget = Object.keys(target ?? {}).filter((key) => key !== 'kind' && key !== 'name');
  if (typeof path !== 'string' || target === undefined || Object.keys(others).length > 0 || unknownTarget.length > 0) {
    throw new ManifestError('MANIFEST_FILE_INVALID', `${file}: a patch has a path and a target of kind and name, and nothing else`);
  }
  return patch;
}
