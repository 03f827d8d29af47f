"""Fits the two small networks of the claim check (crates/chimera-core/src/composer/claims/fitted.bin) over the counted signs.

    claims_signs.py ROWS.jsonl OUT

ROWS: {signs, label, set, kind, fold, fit, verdict}: `signs` from crates/chimera-adapters/examples/claim_signs.rs, `verdict` the logit of a cross-encoder that saw no row of the
same source (claims.py). Rows with `fit` are fitted on; every row is predicted by networks that saw no row of its fold, and folds hold whole sources out.
"""
import json, struct, sys, warnings
import numpy as np
from sklearn.neural_network import MLPClassifier
from sklearn.metrics import roc_auc_score

warnings.filterwarnings("ignore")
rows = [json.loads(line) for line in open(sys.argv[1])]
signs = np.array([row["signs"] for row in rows]); verdict = np.array([[row["verdict"]] for row in rows])
label = np.array([row["label"] for row in rows]); fold = np.array([row["fold"] for row in rows])
fit = np.array([row["fit"] for row in rows]); sets = np.array([row["set"] for row in rows])
UNITS, RUNS, FAR, DECAY = 8, 4, 4.0, 7.0


def fitted(x, y, decay):
    means, scales = x.mean(0), np.maximum(x.std(0), 1e-3)
    z = np.clip((x - means) / scales, -FAR, FAR)
    runs = [MLPClassifier((UNITS,), activation="tanh", alpha=decay, learning_rate_init=3e-3, max_iter=25, batch_size=128, random_state=seed).fit(z, y) for seed in range(RUNS)]
    return means, scales, runs


def logit(model, x):
    means, scales, runs = model
    z = np.clip((x - means) / scales, -FAR, FAR)
    return np.mean([np.tanh(z @ run.coefs_[0] + run.intercepts_[0]) @ run.coefs_[1][:, 0] + run.intercepts_[1][0] for run in runs], 0)


def report(name, scores):
    each = {one: roc_auc_score(label[sets == one], scores[sets == one]) for one in sorted(set(sets))}
    print(name, " ".join(f"{one} {value:.3f}" for one, value in each.items()), f"mean {np.mean(list(each.values())):.3f} pooled {roc_auc_score(label, scores):.3f}", flush=True)


def folded(x, decay):
    scores = np.zeros(len(rows))
    for one in sorted(set(fold)):
        scores[fold == one] = logit(fitted(x[fit & (fold != one)], label[fit & (fold != one)], decay), x[fold == one])
    return scores


def packed(model):
    means, scales, runs = model
    floats = lambda values: np.asarray(values, np.float32).tobytes()
    made = struct.pack("<3I", len(means), UNITS, RUNS) + floats(means) + floats(scales)
    for run in runs:
        for unit in range(UNITS):
            made += floats(run.coefs_[0][:, unit]) + floats([run.intercepts_[0][unit], run.coefs_[1][unit, 0]])
        made += floats([run.intercepts_[1][0]])
    return made


report("reader alone", verdict[:, 0])
made = b"CGND"
for name, x in (("signs", signs), ("signs and reader", np.hstack([signs, verdict]))):
    report(name, folded(x, DECAY))
    made += packed(fitted(x[fit], label[fit], DECAY))
open(sys.argv[2], "wb").write(made)
