import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { HorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler";
import { Job } from "kubernetes-models/batch/v1/Job";
import { Ingress } from "kubernetes-models/networking.k8s.io/v1/Ingress";
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget";
import { Secret } from "kubernetes-models/v1/Secret";
import { Service } from "kubernetes-models/v1/Service";
import type { Document } from "./deployment.ts";

interface Model {
  new (manifest: Document): { validate(): void };
  readonly apiVersion: string;
  readonly kind: string;
}

const MODELS = [
  Deployment,
  HorizontalPodAutoscaler,
  Ingress,
  Job,
  NetworkPolicy,
  PodDisruptionBudget,
  Secret,
  Service,
] as unknown as Model[];

/**
 * Throws unless a manifest is valid by the schema of its kind. The schemas permit any further field, though Kubernetes
 * ignores those or refuses them; so whatever the schema has never looked at is refused here.
 */
export function checkManifest(manifest: Document): void {
  const { apiVersion, kind } = manifest;
  const model = MODELS.find((model) => model.apiVersion === apiVersion && model.kind === kind);
  if (!model) throw new Error(`${apiVersion} ${kind} is not a kind that is known here`);
  const reads = new Reads();
  // The model has copied everything; from here on, only the schema reads.
  const copy = new model(manifest);
  reads.watch(copy).validate();
  const unknown = reads.missed(copy);
  if (unknown.length > 0)
    throw new Error(`${kind} ${manifest.metadata.name} has unknown fields: ${unknown.join(", ")}`);
}

/** Remembers which fields of a document somebody has read. */
class Reads {
  readonly #fields = new Map<object, Set<string | symbol>>();

  watch(value: Document): Document {
    if (typeof value !== "object" || value === null) return value;
    const fields = this.#fields.get(value) ?? new Set();
    this.#fields.set(value, fields);
    return new Proxy(value, {
      get: (target, field) => {
        fields.add(field);
        return this.watch(target[field]);
      },
    });
  }

  /** The paths of the fields that nobody has read. */
  missed(value: Document, path = ""): string[] {
    if (typeof value !== "object" || value === null) return [];
    const read = this.#fields.get(value);
    return Object.keys(value).flatMap((field) =>
      read?.has(field) ? this.missed(value[field], `${path}.${field}`) : [`${path}.${field}`],
    );
  }
}
