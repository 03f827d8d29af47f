"""What the injection classifier looks at; the same as `perception/injection/features.rs`, which says why."""
import re
import unicodedata
import zlib

BUCKETS = 1 << 19
SENTENCE_TOKENS_MAX = 60
CONCEPT_REACH = 8
LOOK_ALIKE = dict(zip('аαвсԁеεһіιјкκоορрѕтτуνυх', 'aabcdeehiijkkoopp sttyvux'.replace(' ', '')))
ALIKE = dict(zip("’‘ʼ`´أإآٱىئةؤ", "'''''اااايي" + 'هو'))
LEET = {'0': 'o', '1': 'i', '3': 'e', '4': 'a', '@': 'a', '5': 's', '$': 's', '7': 't'}
PAIRS = {'"': '"', '“': '”', '„': '“', '«': '»', '「': '」', '『': '』', '»': '«'}
QUOTE_CHARS_MAX = 200


def is_mark(c):
    o = ord(c)
    return (0x300 <= o <= 0x36f or 0x64b <= o <= 0x65f or o in (0x640, 0xad, 0x61c, 0xfeff) or 0x200b <= o <= 0x200f
            or 0x202a <= o <= 0x202e or 0x2060 <= o <= 0x2069 or 0xfe00 <= o <= 0xfe0f)


def as_latin(word):
    if not any('a' <= c <= 'z' for c in word):
        return word
    word = ''.join(LOOK_ALIKE.get(c, c) for c in word)
    letters = sum('a' <= c <= 'z' for c in word)
    digits = sum('0' <= c <= '9' for c in word)
    if letters > digits and len(word) <= 13 and not ('0' <= word[0] <= '9'):
        return ''.join(LEET.get(c, c) for c in word)
    return word


def folded(text):
    if not text.isascii():
        text = ''.join(c for c in unicodedata.normalize('NFKD', text) if not is_mark(c))
        text = ''.join(ALIKE.get(c, c) for c in text.lower())
        text = unicodedata.normalize('NFC', text)
        if not any(0x370 <= ord(c) <= 0x52f and c not in LOOK_ALIKE for c in text):
            text = ''.join(LOOK_ALIKE.get(c, c) for c in text)
    else:
        text = text.lower().replace('`', "'")
    return ' '.join(map(as_latin, text.split()))


def script(c):
    o = ord(c)
    if 0x3040 <= o <= 0x30ff or 0x3400 <= o <= 0x9fff or 0xac00 <= o <= 0xd7af or 0xe00 <= o <= 0xe7f or 0xf900 <= o <= 0xfaff:
        return 'dense'
    if 0x600 <= o <= 0x77f or 0x1200 <= o <= 0x139f:
        return 'prefixing'
    return ''


def is_word(c):
    o = ord(c)
    return c.isalnum() or (0x900 <= o <= 0xdff and o not in (0x964, 0x965)) or 0xe31 <= o <= 0xe4e


def read_lexicon(path):
    trie, names = {}, []
    for line in open(path, encoding='utf-8'):
        if line.startswith('#') or not line.strip():
            continue
        head, words = line.strip().split(': ', 1)
        name = head.split()[0]
        if name not in names:
            names.append(name)
        for word in words.split(', '):
            word = folded(word.strip())
            open_end = word.endswith('*')
            word = word.rstrip('*')
            inside = script(word[0])
            if inside:
                open_end = True
            elif 0x900 <= ord(word[0]) <= 0xdff:
                open_end = True
            node = trie
            for c in word:
                node = node.setdefault(c, {})
            # The first list that has a word keeps it; an open end wins over a closed one.
            idea, was_open = node.get('', (names.index(name), False))
            node[''] = (idea, was_open or open_end)
    return trie, names


def match_at(trie, text, at):
    node, best = trie, None
    for place in range(at, len(text)):
        node = node.get(text[place])
        if node is None:
            break
        found = node.get('')
        if found and (found[1] or place + 1 == len(text) or not is_word(text[place + 1])):
            best = (place + 1, found[0])
    return best


def quoted_spans(text):
    spans, at = [], 0
    while at < len(text):
        close = PAIRS.get(text[at])
        if close:
            end = text.find(close, at + 1, at + 1 + QUOTE_CHARS_MAX)
            before = text[:at].rstrip()[-2:] if at < 400 else text[at - 400:at].rstrip()[-2:]
            told = bool(before) and (is_word(before[-1]) or before[-1] in ',('
                                     or before[-1] == ':' and len(before) > 1 and is_word(before[0]))
            if end > at and told:
                spans.append((at, end))
            if end > at:
                at = end
        at += 1
    return spans


END = set('.!?。؟।።|')
ALWAYS = set('。।።؟|')
CLOSING = set('"”»」』)\'’')


class Sentence:
    __slots__ = ('words', 'ideas', 'tokens')

    def __init__(self):
        self.words, self.ideas, self.tokens = set(), [], 0


def h(text):
    return zlib.crc32(text.encode()) & (BUCKETS - 1)


def sentences(text, lexicon):
    """`text` is folded."""
    trie = lexicon[0]
    spans = quoted_spans(text)
    span = 0
    found, current, before, covered, at, n = [], Sentence(), None, 0, 0, len(text)
    while at < n:
        c = text[at]
        while span < len(spans) and spans[span][1] < at:
            span += 1
        in_quote = span < len(spans) and spans[span][0] < at < spans[span][1]
        if is_word(c):
            kind = script(c)
            end = at + 1
            dense = kind == 'dense'
            while end < n and is_word(text[end]) and (script(text[end]) == 'dense') == dense:
                end += 1
            q = 'q' if in_quote else ''
            word = text[at:end]
            first = current.tokens == 0
            starts = range(at, end) if dense else range(at, min(at + 4, end)) if kind == 'prefixing' else (at,)
            for start in starts:
                if start < covered:
                    continue
                hit = match_at(trie, text, start)
                if hit:
                    covered = hit[0]
                    current.ideas.append((hit[1], in_quote))
                    if first and start == at:
                        current.words.add(h('^k%d' % hit[1]))
            if dense:
                for i in range(len(word) - 1):
                    current.words.add(h(q + 'c' + word[i:i + 2]))
                    if i + 2 < len(word):
                        current.words.add(h(q + 't' + word[i:i + 3]))
                current.tokens += max(1, len(word) // 2)
                before = None
            else:
                if word.isdigit():
                    word = '0'
                current.words.add(h(q + 'w' + word))
                if before is not None:
                    current.words.add(h(q + 'b' + before + ' ' + word))
                if first:
                    current.words.add(h('^w' + word))
                if len(word) >= 6:
                    current.words.add(h(q + 'p' + word[:4]))
                    current.words.add(h(q + 's' + word[-3:]))
                current.tokens += 1
                before = word
            at = end
        else:
            if c in '@#[]{}<>:?"*=/':
                current.words.add(h('m' + c))
            at += 1
            ends = c in END
            if ends:
                rest = at
                while rest < n and text[rest] in CLOSING:
                    rest += 1
                ends = c in ALWAYS or rest == n or text[rest] == ' '
        if current.tokens and (not is_word(c) and ends or current.tokens >= SENTENCE_TOKENS_MAX):
            found.append(current)
            current, before = Sentence(), None
    if current.tokens:
        found.append(current)
    return found


def idea_features(ideas):
    out = set()
    for i, (idea, quoted) in enumerate(ideas):
        q = 'q' if quoted else ''
        out.add(h('%sk%d' % (q, idea)))
        for j in range(i + 1, min(i + 1 + CONCEPT_REACH, len(ideas))):
            other, other_quoted = ideas[j]
            mark = 'q' if quoted or other_quoted else ''
            out.add(h('%sU%d,%d' % (mark, min(idea, other), max(idea, other))))
            if j == i + 1:
                out.add(h('%sK%d,%d' % (mark, idea, other)))
            if j == i + 1 and j + 1 < len(ideas):
                out.add(h('%sT%d,%d,%d' % (mark, idea, other, ideas[j + 1][0])))
    distinct = len({idea for idea, quoted in ideas if not quoted})
    out.add(h('n%d' % min(distinct, 6)))
    return out


def windows(text, lexicon):
    """The features of each sentence and of each two that follow each other: (of words, of ideas)."""
    found = sentences(folded(text), lexicon)
    out = [(s.words, idea_features(s.ideas)) for s in found]
    out += [(a.words | b.words, idea_features(a.ideas + b.ideas)) for a, b in zip(found, found[1:])]
    return out
