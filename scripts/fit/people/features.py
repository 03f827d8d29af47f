"""Text to hashed n-grams, exactly as crates/chimera-core/src/policy/folding.rs and hashed_ngrams.rs do it."""

import math
import unicodedata
import zlib

BITS = 18
CHARS_MAX = 4000
WORD_CHARS_MAX = 24
WINDOW_TOKENS, WINDOW_STEP = 40, 20

ALIKE = {**dict.fromkeys("’‘ʼ`´", "'"), **dict.fromkeys("أإآٱ", "ا"), **dict.fromkeys("ىئ", "ي"), "ة": "ه", "ؤ": "و"}
LOOK_ALIKE = {"а": "a", "α": "a", "в": "b", "с": "c", "ԁ": "d", "е": "e", "ε": "e", "һ": "h", "і": "i", "ι": "i", "ј": "j", "к": "k", "κ": "k",
              "о": "o", "ο": "o", "р": "p", "ρ": "p", "ѕ": "s", "т": "t", "τ": "t", "у": "y", "ν": "v", "υ": "u", "х": "x"}
DIGITS = {"0": "o", "1": "i", "3": "e", "4": "a", "@": "a", "5": "s", "$": "s", "7": "t"}


def is_mark(c):
    o = ord(c)
    return (0x300 <= o <= 0x36F or 0x64B <= o <= 0x65F or 0x200B <= o <= 0x200F or 0x202A <= o <= 0x202E or 0x2060 <= o <= 0x2069
            or 0xFE00 <= o <= 0xFE0F or o in (0x640, 0xAD, 0x61C, 0xFEFF))


def folded(text):
    apart = unicodedata.normalize("NFKD", text)
    bare = "".join(ALIKE.get(low, low) for c in apart if not is_mark(c) for low in c.lower())
    whole = unicodedata.normalize("NFC", bare)
    foreign = [c for c in whole if 0x370 <= ord(c) <= 0x52F]
    if all(c in LOOK_ALIKE for c in foreign):
        whole = "".join(LOOK_ALIKE.get(c, c) for c in whole)
    return " ".join(as_latin(word) for word in whole.split())


def as_latin(word):
    if not any("a" <= c <= "z" for c in word):
        return word
    word = "".join(LOOK_ALIKE.get(c, c) for c in word)
    letters, digits = sum("a" <= c <= "z" for c in word), sum("0" <= c <= "9" for c in word)
    if letters > digits and len(word) <= 13 and not "0" <= word[0] <= "9":
        word = "".join(DIGITS.get(c, c) for c in word)
    return word


def is_single(c):
    """Characters that are tokens by themselves: kana, Chinese characters, pictures."""
    o = ord(c)
    return 0x3040 <= o <= 0x30FF or 0x3400 <= o <= 0x9FFF or 0x2600 <= o <= 0x27BF or 0x1F000 <= o <= 0x1FAFF


def is_separator(c):
    o = ord(c)
    return (o <= 0x2F or 0x3A <= o <= 0x60 or 0x7B <= o <= 0xBF or 0x2000 <= o <= 0x206F or 0x3000 <= o <= 0x303F or o in (0x964, 0x965)
            or o in (0x60C, 0x61B, 0x6D4, 0x30FB) or 0x1361 <= o <= 0x1366 or o == 0x1368 or c.isspace())


def tokens(text):
    found, word = [], ""
    for c in folded(text[:CHARS_MAX]):
        if c in "?؟፧":
            found += [word] if word else []
            found.append("?")
            word = ""
        elif is_separator(c) or is_single(c):
            found += [word] if word else []
            found += [c] if is_single(c) and not is_separator(c) else []
            word = ""
        else:
            word += c
    return found + ([word] if word else [])


def slot(name):
    return (zlib.crc32(name.encode()) * 2654435761 & 0xFFFFFFFF) >> (32 - BITS)


def ngrams(words):
    """The distinct slots of a window of tokens."""
    slots = set()
    for i, word in enumerate(words):
        slots.add(slot("w" + word))
        if i + 1 < len(words):
            slots.add(slot("b" + word + " " + words[i + 1]))
        if i + 2 < len(words):
            slots.add(slot("t" + word + " " + words[i + 1] + " " + words[i + 2]))
            slots.add(slot("s" + word + " " + words[i + 2]))
        if word != "?" and not is_single(word[0]):
            edged = "<" + word[:WORD_CHARS_MAX] + ">"
            for n in (3, 4, 5):
                for at in range(len(edged) - n + 1):
                    slots.add(slot("c" + edged[at:at + n]))
    return slots


def windows(text):
    """A long text is as grave as its gravest part."""
    words = tokens(text)
    starts = [0]
    while starts[-1] + WINDOW_TOKENS < len(words):
        starts.append(starts[-1] + WINDOW_STEP)
    return [ngrams(words[start:start + WINDOW_TOKENS]) for start in starts]


def value(slots):
    return 1 / math.sqrt(max(len(slots), 1))
