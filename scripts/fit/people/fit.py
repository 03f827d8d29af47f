"""Fits the judgements of what people write: whether they ask for a machine, whether they may be in danger, what is sensitive.

    python fit.py --texts DIR --tatoeba DIR --brighter DIR --afrisenti DIR --ruarobot FILE --out DIR

Needs numpy, scipy and scikit-learn. Writes machine_question.bin, danger.bin and topics.bin. The same input gives the same files.
"""

import argparse
from pathlib import Path

import model
import sources
import training

TOPIC_BITS = 17


def machine_question(paths):
    return [model.fit(training.machine_question(paths), 10, 0.3)]


def danger(paths):
    return [model.fit(training.danger(paths), 8, 0.5), model.fit(training.heavy(paths), 8, 0.5)]


def topics(paths):
    rows = training.topics(paths)
    any_topic = model.fit([(text, lang, source, int(topic < 4)) for text, lang, source, topic in rows], 2, 0.5, TOPIC_BITS)
    sensitive = [row for row in rows if row[3] < 4]
    each = [model.fit([(text, lang, source, int(topic == wanted)) for text, lang, source, topic in sensitive], 2, 0.4, TOPIC_BITS)
            for wanted in range(4)]
    english = model.fit(training.languages(paths, ["en"], training.LATIN[1:]), 4, 0.5, TOPIC_BITS)
    known = model.fit(training.languages(paths, training.LATIN, sources.OTHER_LATIN), 4, 0.5, TOPIC_BITS)
    return [any_topic, *each, english, known]


def main():
    parser = argparse.ArgumentParser()
    for name in ("texts", "tatoeba", "brighter", "afrisenti", "ruarobot", "out"):
        parser.add_argument(f"--{name}", required=True)
    paths = parser.parse_args()
    model.write(Path(paths.out) / "machine_question.bin", model.BITS, machine_question(paths))
    model.write(Path(paths.out) / "danger.bin", model.BITS, danger(paths))
    model.write(Path(paths.out) / "topics.bin", TOPIC_BITS, topics(paths))


if __name__ == "__main__":
    main()
