"""Rows of public sources. `texts` holds JSONL rows {text, label, lang, source}; the others are checkouts of the named repositories."""

import csv
import hashlib
import json
import random
from pathlib import Path

# Sources whose licence lets weights that are shipped be fitted on them: MIT, Apache-2.0, BSD-3, CC BY, CC0, or written for this.
PERMISSIVE = ("microsoft/botframework-cli", "DNGros/R-U-A-Robot", "handwritten", "gunthercox/chatterbot", "axa-group/nlp.js", "clinc/oos-eval",
              "AhmedNageh08/helpdesk", "nbertagnolli/counsel-chat", "dadelani/sib-200", "NuryeNigusMekonen/amharic", "sonos/nlu-benchmark",
              "UCI News", "justjavac/", "jhKessler/Tagesschau", "bhargaviparanjape/clickbait")
TATOEBA = {"es": "spa", "fr": "fra", "de": "deu", "pt": "por", "it": "ita", "nl": "nld", "am": "amh", "sw": "swh", "ar": "ara", "hi": "hin", "ja": "jpn", "zh": "cmn"}
OTHER_LATIN = "tur pol vie ind swe ces fin hun ron dan nob hrv slk lit est tgl lvs slv sqi isl eus".split()
BRIGHTER = {"en": "eng", "es": "esp", "de": "deu", "pt": "ptbr", "am": "amh", "sw": "swa", "hi": "hin", "zh": "chn", "ar": "ary"}


def is_fitted(text):
    """Half of the rows are never fitted on: by a hash of the text."""
    return hashlib.sha1(text.encode()).digest()[0] % 2 == 1


def rows(texts, name):
    for line in open(Path(texts) / f"{name}.jsonl"):
        row = json.loads(line)
        if is_fitted(row["text"]):
            yield row


def is_permissive(row):
    return row["source"].startswith(PERMISSIVE)


def robot_questions(file):
    """DNGros/R-U-A-Robot (MIT), rows {text, label3}; those that people found ambiguous teach nothing."""
    found = [json.loads(line) for line in open(file)]
    return [row for row in found if row["label3"] != "amb" and is_fitted(row["text"])]


def tatoeba(checkout):
    """facebookresearch/LASER, data/tatoeba/v1 (Tatoeba, CC BY 2.0 FR)."""
    for lang, code in TATOEBA.items():
        for text in (Path(checkout) / f"tatoeba.{code}-eng.{code}").read_text().splitlines():
            yield {"text": text, "lang": lang, "source": "tatoeba"}
    for text in (Path(checkout) / "tatoeba.fra-eng.eng").read_text().splitlines():
        yield {"text": text, "lang": "en", "source": "tatoeba"}


def other_languages(checkout):
    """The same, in languages that are written in Latin letters and not supported."""
    for code in OTHER_LATIN:
        for text in (Path(checkout) / f"tatoeba.{code}-eng.{code}").read_text().splitlines():
            yield {"text": text, "lang": code, "source": "tatoeba"}


def brighter(checkout):
    """emotion-analysis-project/SemEval2025-Task11, track A, training part (CC BY 4.0): posts with the emotions that readers felt in them."""
    for lang, code in BRIGHTER.items():
        for row in csv.DictReader(open(Path(checkout) / f"{code}.csv")):
            yield {"text": row["text"], "lang": lang, "source": "brighter", "sad": row.get("sadness") == "1" or row.get("fear") == "1"}


def afrisenti(checkout):
    """afrisenti-semeval/afrisent-semeval-2023 (CC BY 4.0): posts in Amharic and Swahili, with their tone."""
    for lang in ("am", "sw"):
        for row in csv.DictReader(open(Path(checkout) / f"{lang}_train.tsv"), delimiter="\t", quoting=csv.QUOTE_NONE):
            yield {"text": row["tweet"], "lang": lang, "source": "afrisenti", "sad": row["label"] == "negative"}


def headlines(texts, count, seed):
    found = [row for row in rows(texts, "headlines_dated") if is_permissive(row)]
    return random.Random(seed).sample(found, count)
