"""A linear model over hashed n-grams, and its file of eight-bit weights."""

import struct
from collections import Counter

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from features import BITS, value, windows

CACHE = {}


def parts(text):
    if text not in CACHE:
        CACHE[text] = [(np.fromiter(slots, dtype=np.int32), value(slots)) for slots in windows(text)]
    return CACHE[text]


def matrix(windows_of, bits=BITS):
    data, indices, starts = [], [], [0]
    for slots, each in windows_of:
        # Fewer bits are the upper ones, so that slots fall together in pairs.
        indices.append(slots >> (BITS - bits))
        data.append(np.full(len(slots), each, dtype=np.float32))
        starts.append(starts[-1] + len(slots))
    return csr_matrix((np.concatenate(data), np.concatenate(indices), starts), shape=(len(starts) - 1, 1 << bits))


def fit(rows, strength, positive_share, bits=BITS):
    """Every language weighs the same, and in each what is looked for `positive_share` of it."""
    # Which part of a long text is the grave one nobody says: long ones of the kind looked for teach with their first part alone.
    cut = [(window, lang, source, label) for text, lang, source, label in rows for window in (parts(text)[:1] if label else parts(text))]
    counts = Counter((lang, label) for _, lang, _, label in cut)
    weights = np.array([(positive_share if label else 1 - positive_share) / counts[lang, label] for _, lang, _, label in cut])
    weights *= len(cut) / weights.sum()
    learned = LogisticRegression(C=strength, max_iter=300, solver="lbfgs")
    learned.fit(matrix([window for window, *_ in cut], bits), [label for *_, label in cut], sample_weight=weights)
    return learned.coef_[0].astype(np.float32), float(learned.intercept_[0])


def rounded(weights):
    # The few largest weights are cut so that the many others keep their digits.
    step = np.quantile(np.abs(weights[weights != 0]), 0.9995) / 127
    return np.clip(np.rint(weights / step), -127, 127).astype(np.int8), float(step)


def score(texts, weights, bias):
    """The gravest window of each text."""
    flat = [(number, window) for number, text in enumerate(texts) for window in parts(text)]
    strengths = matrix([window for _, window in flat], len(weights).bit_length() - 1) @ weights + bias
    best = np.full(len(texts), -np.inf)
    np.maximum.at(best, [number for number, _ in flat], strengths)
    return best


def write(path, bits, heads):
    """`CHN1`, u32 bits, u32 heads; for each head f32 step, f32 bias, and the weights, i8 each."""
    with open(path, "wb") as file:
        file.write(b"CHN1" + struct.pack("<II", bits, len(heads)))
        for weights, bias in heads:
            small, step = rounded(weights)
            file.write(struct.pack("<ff", step, bias) + small.tobytes())
