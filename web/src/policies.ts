// What a policy does, in a line, and the colour it has in every chart.

const live: Record<string, string> = {
  unconstrained: "the best places for each user, full or not",
  none: "unconstrained: the best places for each user, full or not",
  cutoff:
    "the paper's rule: of all who want a place, those it suits best get it, one for each seat",
  greedy: "the best places that still have room",
  price:
    "each place has a price that rises with demand; the best by chance less price that have room",
  cap: "the paper's Cap- objective: learning gives way at places too full; lists don't look at seats",
  "price+cap": "prices, and the Cap- objective in learning",
  both: "prices, and the Cap- objective in learning at the alpha of the command line",
  batch: "an ordinary model, trained anew each night; it knows nothing of seats",
  popularity: "what was visited most, full or not",
  random: "any places",
};

export interface Family {
  name: string;
  alpha: number | null;
}

// "price+cap 0.2" is price+cap at alpha 0.2.
export function familyOf(policy: string): Family {
  const found = /^(.*) ([\d.e-]+)$/.exec(policy);
  return found ? { name: found[1]!, alpha: Number(found[2]) } : { name: policy, alpha: null };
}

export function policyWords(policy: string): string {
  const { name, alpha } = familyOf(policy);
  const words = live[name] ?? "a policy of this run";
  return alpha === null ? words : `${words}, at alpha ${alpha}`;
}

// Lists that look at no seats are told apart by a broken line.
export const isFree = (policy: string): boolean => policy === "unconstrained" || policy === "none";

// The default and the unconstrained lists stand out, the others share a palette.
export class Colours {
  private readonly of = new Map<string, string>();

  constructor(policies: readonly string[], chosen: string | null) {
    let next = 0;
    for (const policy of policies) {
      if (policy === chosen) this.of.set(policy, "var(--default)");
      else if (isFree(policy)) this.of.set(policy, "var(--free)");
      else this.of.set(policy, `var(--p${next++ % 9})`);
    }
  }
  get(policy: string): string {
    return this.of.get(policy) ?? "currentColor";
  }
}
