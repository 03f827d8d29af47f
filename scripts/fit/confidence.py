"""Fits how sure a model's draft of a post is (crates/chimera-core/src/composer/confidence/fitted.rs) on graded drafts, and says how well it does.

    confidence.py GRADED PREDICTIONS

GRADED are rows of id, article, text, grades; PREDICTIONS what `chimera eval drafts` made of the same rows, in order. Proportional odds: one weight for
each part, none below 0, and a threshold for each grade, on the grades of all editors. Every figure is of folds that hold whole articles out.
"""
import hashlib, json, math, random, sys
import numpy as np

PARTS = ["supported", "said", "to_the_point", "beside_the_goal", "tells", "flows", "quiet", "plain", "speaks", "whole"]
FOLDS, SEED, RIDGE = 11, 21, 3.0
# What is left of a faulty post, and of one where a claim is also read as supported less than .20.
FAULTY, SURELY_FAULTY, READ_MIN = 0.69, 0.25, 0.2


def rank(values):
    values = np.asarray(values, float)
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(count) - (count - 1) / 2)[place]


def spearman(a, b):
    return float(np.corrcoef(rank(a), rank(b))[0, 1])


def auc(scores, good):
    good = np.asarray(good, bool)
    return float((rank(scores)[good].sum() - good.sum() * (good.sum() + 1) / 2) / (good.sum() * (~good).sum()))


def fit(parts, grades, steps=4000):
    weights, thresholds = np.full(parts.shape[1], 0.5), np.array([-1.0, -2.0, -3.0, -4.0])
    wanted = np.array([[np.mean([grade >= least for grade in row]) for least in (2, 3, 4, 5)] for row in grades])
    spread = parts.std(0) + 1e-9
    first, second = np.zeros(len(weights) + 4), np.zeros(len(weights) + 4)
    for step in range(1, steps + 1):
        wrong = 1 / (1 + np.exp(-(parts @ weights)[:, None] - thresholds)) - wanted
        slope = np.concatenate([parts.T @ wrong.sum(1) / len(parts) + RIDGE * weights * spread**2 / len(parts), wrong.mean(0)])
        first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
        move = (0.05 if step < steps * 2 / 3 else 0.005) * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-9)
        weights, thresholds = np.maximum(weights - move[: len(weights)], 0), thresholds - move[len(weights) :]
    return weights, thresholds


def main():
    rows = [json.loads(line) for line in open(sys.argv[1])]
    judged = [json.loads(line) for line in open(sys.argv[2])]
    parts = np.array([[one["parts"][name] for name in PARTS] for one in judged])
    grades = [row["grades"] for row in rows]
    mean = np.array([np.mean(of) for of in grades])
    articles = sorted({row["article"] for row in rows})
    random.Random(SEED).shuffle(articles)
    fold = np.array([articles.index(row["article"]) % FOLDS for row in rows])
    worth = np.zeros(len(rows))
    for held in range(FOLDS):
        seen = fold != held
        weights, thresholds = fit(parts[seen], [of for of, is_seen in zip(grades, seen) if is_seen])
        worth[~seen] = 1 / (1 + np.exp(-(parts[~seen] @ weights) - thresholds[1]))
    faulty = np.array([one["parts"]["flags"] for one in judged], bool)
    least = np.array([(one["parts"]["read"] or [0])[0] for one in judged])
    sure = 0.97 * worth * np.where(faulty, np.where(least >= READ_MIN, FAULTY, SURELY_FAULTY), 1)
    length = np.log([len(row["text"]) for row in rows])
    third = np.digitize(rank(length), [len(rows) / 3, 2 * len(rows) / 3])
    print(f"{len(rows)} drafts on {len(articles)} articles, {np.mean(mean >= 4):.0%} publishable")
    for name, score in (("worth", worth), ("with flags", sure), ("length", length)):
        within = " ".join(f"{spearman(score[third == at], mean[third == at]):.2f}" for at in range(3))
        print(f"{name:10} Spearman {spearman(score, mean):.3f}, within thirds of length {within}; AUC of 4 or more {auc(score, mean >= 4):.3f}, of 3 or more {auc(score, mean >= 3):.3f}")
    for name, score in (("worth", worth), ("with flags", sure)):
        high = score >= 0.7
        print(f"{name}: {high.sum()} at .70 or more, of them grade 1 {np.sum(mean[high] < 1.5)} (grade 1 in all: {np.sum(mean < 1.5)}), 3 or more {np.mean(mean[high] >= 3) if high.any() else 0:.2f}, 4 or more {np.mean(mean[high] >= 4) if high.any() else 0:.2f}")
    for least, most in ((0, 0.2), (0.2, 0.4), (0.4, 0.6), (0.6, 0.8), (0.8, 1.01)):
        of = (worth >= least) & (worth < most)
        if of.any():
            print(f"calibration {least}-{most}: {of.sum()} drafts, said {worth[of].mean():.2f}, were 3 or more {np.mean([np.mean([grade >= 3 for grade in grades[at]]) for at in np.flatnonzero(of)]):.2f}")
    weights, thresholds = fit(parts, grades)
    print("weights", ", ".join(f"{name} {weight:.3f}" for name, weight in zip(PARTS, weights)), f"; threshold {thresholds[1]:.3f}")
    print("sha256 of the graded rows", hashlib.sha256(open(sys.argv[1], "rb").read()).hexdigest())


main()
