#!/usr/bin/env python3
"""Teaches the sentence encoder of the program twelve more languages: makes crates/chimera-adapters/data/languages-int8.bin.

The network stays as it is, so English stays as it is. What is learned are vectors of more word pieces, such that a sentence in another
language comes out where the network puts its English translation (distillation from parallel text).

    pip install numpy tokenizers torch
    languages.py vocabulary pairs.tsv.xz pieces.txt
    languages.py train pairs.tsv.xz heldout.tsv.gz pieces.txt OUTPUT.bin    (wants a GPU for some minutes)

`pairs` and `heldout` are lines of `language<TAB>kind<TAB>source<TAB>english<TAB>foreign`. The sources, all permissive, and the figures are in
crates/chimera-adapters/data/README.md; the format is described there too.
"""

import collections
import gzip
import lzma
import multiprocessing
import pathlib
import random
import struct
import sys
import time
import unicodedata

import numpy as np

BASE = pathlib.Path(__file__).resolve().parents[2] / "crates/chimera-adapters/data/minilm-int8.bin"
MAGIC, VERSION = b"CHILANGS", 1
PIECES = 48_000
EPOCHS, BATCH_PIECES, RATE, TEMPERATURE = 7, 40_000, 4e-3, 0.05
DROPPED = 0.1 # of a sentence's pieces, so that no single one carries it
POSITIONS = 64
INITIAL_PAIRS_MAX = 25_000 # of a language, the shortest


# --- Words and pieces, exactly as src/embedder/minilm/word_piece.rs splits them.

ACCENTS = [(0x300, 0x36F), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF), (0x20D0, 0x20DC), (0xFE20, 0xFE2F), (0x200B, 0x200F), (0x202A, 0x202E),
           (0x2060, 0x2064), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF)]
MARKS = [(0x2010, 0x2027), (0x2030, 0x2043), (0x2045, 0x2051), (0x2053, 0x205E), (0x3001, 0x3003), (0x3008, 0x3011), (0x3014, 0x301F),
         (0x30FB, 0x30FB), (0xFF01, 0xFF03), (0xFF05, 0xFF0A), (0xFF0C, 0xFF0F), (0xFF1A, 0xFF1B), (0xFF1F, 0xFF20)]
IDEOGRAPHS = [(0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2CEAF), (0x2F800, 0x2FA1F)]


def within(code, ranges):
    return any(low <= code <= high for low, high in ranges)


def kind_of(c):
    code = ord(c)
    if c.isspace():
        return "space"
    if within(code, ACCENTS) or c == "\ufffd" or unicodedata.category(c) == "Cc":
        return "drop"
    ascii_mark = code < 128 and not c.isalnum()
    return "alone" if ascii_mark or c in "¡§«¶·»¿" or within(code, MARKS) or within(code, IDEOGRAPHS) else "letter"


class Kinds(dict):
    def __missing__(self, c):
        self[c] = kind_of(c)
        return self[c]


KINDS = Kinds()


def words(text):
    found, word = [], []
    for c in unicodedata.normalize("NFD", text.lower()):
        kind = KINDS[c]
        if kind == "letter":
            word.append(c)
        elif kind != "drop":
            if word:
                found.append("".join(word))
                word = []
            if kind == "alone":
                found.append(c)
    if word:
        found.append("".join(word))
    return found


class Splitter:
    def __init__(self, pieces):
        self.ids = {piece: number for number, piece in enumerate(pieces)}
        self.cache = {}

    def split(self, word):
        found, rest, mark = [], word, ""
        while rest:
            for end in range(len(rest), 0, -1):
                number = self.ids.get(mark + rest[:end])
                if number is not None:
                    break
            else:
                return [self.ids["[UNK]"]]
            found.append(number)
            rest, mark = rest[end:], "##"
        return found

    def __call__(self, text):
        ids = [self.ids["[CLS]"]]
        for word in words(text):
            known = self.cache.get(word)
            if known is None:
                known = self.split(word) if len(word) <= 100 else [self.ids["[UNK]"]]
                if len(self.cache) < 500_000:
                    self.cache[word] = known
            ids += known
            if len(ids) >= POSITIONS:
                break
        return ids[: POSITIONS - 1] + [self.ids["[SEP]"]]


def read_pairs(file):
    with (lzma if file.endswith(".xz") else gzip).open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            parts = line.rstrip("\n").split("\t")
            if len(parts) == 5 and parts[3].strip() and parts[4].strip():
                yield parts


# --- The base: its vocabulary and its network.

def read_base():
    data = BASE.read_bytes()
    assert data[:8] == b"CHIMINLM"
    version, count, hidden, layers, heads, widened, positions, vocabulary_bytes = struct.unpack("<8I", data[8:40])
    at = 40
    pieces, end = [], at + vocabulary_bytes
    while at < end:
        length = data[at]
        pieces.append(data[at + 1 : at + 1 + length].decode())
        at += 1 + length

    def floats(n):
        nonlocal at
        found = np.frombuffer(data, "<f4", n, at).copy()
        at += 4 * n
        return found

    def matrix(outputs, inputs):
        nonlocal at
        scales = floats(outputs)
        rows = np.frombuffer(data, np.int8, outputs * inputs, at).reshape(outputs, inputs)
        at += outputs * inputs
        return rows * scales[:, None]

    def dense(inputs, outputs):
        return matrix(outputs, inputs), floats(outputs)

    base = {"pieces": pieces, "hidden": hidden, "heads": heads, "rows": matrix(count, hidden), "positions": floats(positions * hidden).reshape(-1, hidden)}
    base["norm"] = floats(hidden), floats(hidden)
    base["layers"] = []
    for _ in range(layers):
        base["layers"].append([dense(hidden, 3 * hidden), dense(hidden, hidden), (floats(hidden), floats(hidden)), dense(hidden, widened),
                               dense(widened, hidden), (floats(hidden), floats(hidden))])
    assert at == len(data)
    return base


# --- The vocabulary.

def vocabulary(pairs, output):
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    counts = collections.defaultdict(collections.Counter)
    for language, _, _, _, foreign in read_pairs(pairs):
        counts[language].update(words(foreign))
    known = set(read_base()["pieces"])
    # Each language says as much as any other, however much text of it there is.
    share = 3_000_000
    corpus = []
    for language, found in sorted(counts.items()):
        total = sum(found.values())
        for word, count in found.items():
            weight = round(count * share / total)
            if count >= 2 and len(word) <= 30:
                corpus.append((word, max(weight, 1)))
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.WordPieceTrainer(vocab_size=PIECES + 9_000, min_frequency=30, special_tokens=["[UNK]"], limit_alphabet=9_000,
                                        continuing_subword_prefix="##", show_progress=False)

    def repeated():
        for word, weight in corpus:
            for start in range(0, weight, 1_000):
                yield " ".join([word] * min(1_000, weight - start))

    tokenizer.train_from_iterator(repeated(), trainer)
    by_rank = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
    new = [piece for piece, _ in by_rank if piece not in known and piece != "[UNK]"][:PIECES]
    pathlib.Path(output).write_text("\n".join(new) + "\n")
    print(len(new), "new pieces")


# --- Training.

def prepare(job):
    base_pieces, new_pieces, chunk = job
    english, foreign = Splitter(base_pieces), Splitter(base_pieces + new_pieces)
    return [(language, kind, np.array(english(left)), np.array(foreign(right))) for language, kind, _, left, right in chunk]


def prepared(file, base_pieces, new_pieces):
    pairs = list(read_pairs(file))
    chunks = [pairs[start : start + 20_000] for start in range(0, len(pairs), 20_000)]
    with multiprocessing.Pool() as pool:
        return [pair for chunk in pool.imap(prepare, [(base_pieces, new_pieces, chunk) for chunk in chunks]) for pair in chunk]


def train(pairs_file, heldout_file, pieces_file, output):
    import torch
    import torch.nn.functional as F

    began = time.time()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(1)
    random.seed(1)
    base = read_base()
    new_pieces = pathlib.Path(pieces_file).read_text().split("\n")[:-1]
    pairs = prepared(pairs_file, base["pieces"], new_pieces)
    heldout = prepared(heldout_file, base["pieces"], new_pieces)
    print(f"{len(pairs)} pairs, {len(heldout)} held out, {len(new_pieces)} new pieces, {time.time() - began:.0f} s", flush=True)

    def tensor(array):
        return torch.tensor(np.ascontiguousarray(array), dtype=torch.float32, device=device)

    rows = tensor(base["rows"])
    new_rows = torch.nn.Parameter(initial_rows(pairs, rows, len(new_pieces), device))
    positions, norm = tensor(base["positions"]), tuple(map(tensor, base["norm"]))
    layers = [[tuple(map(tensor, part)) for part in layer] for layer in base["layers"]]
    heads, hidden = base["heads"], base["hidden"]

    def encode(ids, mask, table):
        states = F.embedding(ids, table) + positions[: ids.shape[1]]
        states = F.layer_norm(states, (hidden,), *norm, eps=1e-12)
        seen = mask[:, None, None, :]
        for attention_in, attention_out, attention_norm, widen, narrow, output_norm in layers:
            parts = F.linear(states, *attention_in).view(*ids.shape, 3, heads, hidden // heads).permute(2, 0, 3, 1, 4)
            attended = F.scaled_dot_product_attention(parts[0], parts[1], parts[2], attn_mask=seen)
            attended = attended.transpose(1, 2).reshape(*ids.shape, hidden)
            states = F.layer_norm(states + F.linear(attended, *attention_out), (hidden,), *attention_norm, eps=1e-12)
            wide = F.gelu(F.linear(states, *widen))
            states = F.layer_norm(states + F.linear(wide, *narrow), (hidden,), *output_norm, eps=1e-12)
        return F.normalize((states.float() * mask[..., None]).sum(1), dim=-1)

    def padded(lists):
        width = max(map(len, lists))
        ids = np.zeros((len(lists), width), dtype=np.int64)
        mask = np.zeros((len(lists), width), dtype=bool)
        for number, entry in enumerate(lists):
            ids[number, : len(entry)] = entry
            mask[number, : len(entry)] = True
        return torch.from_numpy(ids).to(device), torch.from_numpy(mask).to(device)

    def in_steps(lists, table, step=2_048):
        order = sorted(range(len(lists)), key=lambda place: len(lists[place]))
        out = torch.empty(len(lists), hidden, device=device)
        with torch.no_grad(), torch.autocast(device, torch.bfloat16):
            for start in range(0, len(order), step):
                places = order[start : start + step]
                out[torch.tensor(places, device=device)] = encode(*padded([lists[place] for place in places]), table)
        return out

    targets = in_steps([english for _, _, english, _ in pairs], rows)
    held_targets = in_steps([english for _, _, english, _ in heldout], rows)
    print(f"targets, {time.time() - began:.0f} s", flush=True)

    def report():
        found = in_steps([foreign for _, _, _, foreign in heldout], torch.cat([rows, new_rows.detach()]))
        line = []
        for language in sorted({language for language, *_ in heldout}):
            places = torch.tensor([n for n, pair in enumerate(heldout) if pair[0] == language][:1_000], device=device)
            cosines = found[places] @ held_targets[places].T
            hits = (cosines.argmax(1) == torch.arange(len(places), device=device)).float().mean().item()
            line.append(f"{language} {hits:.3f}/{cosines.diagonal().mean().item():.3f}")
        print("held out, found first of 1,000 / cosine:", ", ".join(line), f"{time.time() - began:.0f} s", flush=True)

    report()
    optimiser = torch.optim.Adam([new_rows], lr=RATE, betas=(0.9, 0.98))
    batches = batched([len(foreign) for _, _, _, foreign in pairs])
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=EPOCHS * len(batches) + 1, pct_start=0.05)
    for epoch in range(EPOCHS):
        random.shuffle(batches)
        total = 0.0
        for places in batches:
            ids, mask = padded([pairs[place][3] for place in places])
            mask &= torch.rand(mask.shape, device=device) >= DROPPED
            mask[:, 0] = True
            wanted = targets[torch.tensor(places, device=device)]
            with torch.autocast(device, torch.bfloat16):
                found = encode(ids, mask, torch.cat([rows, new_rows]))
            near = (1 - (found * wanted).sum(1)).mean()
            logits = found @ wanted.T / TEMPERATURE
            # The same sentence may stand in a batch twice; it is no wrong answer.
            logits = logits.masked_fill((wanted @ wanted.T > 0.98) & ~torch.eye(len(places), dtype=torch.bool, device=device), -1e4)
            apart = F.cross_entropy(logits, torch.arange(len(places), device=device))
            loss = near + 0.1 * apart
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            total += near.item() if places is batches[-1] else 0.0
        print(f"epoch {epoch + 1}: cosine of the last batch {1 - total:.3f}", flush=True)
        report()
        write(output, new_pieces, new_rows.detach().float().cpu().numpy())
    print(f"{time.time() - began:.0f} s", flush=True)


def batched(lengths):
    order = sorted(range(len(lengths)), key=lambda place: lengths[place] + random.random())
    batches, current = [], []
    for place in order:
        current.append(place)
        if len(current) * lengths[place] >= BATCH_PIECES or len(current) >= 2_048:
            batches.append(current)
            current = []
    if len(current) > 1:
        batches.append(current)
    return batches


def initial_rows(pairs, rows, new_count, device):
    """Each new piece begins as the English pieces that its sentences' translations have more often than others do."""
    import torch

    base_count = rows.shape[0]
    left, right = [], []
    taken = collections.Counter()
    for language, _, english, foreign in sorted(pairs, key=lambda pair: len(pair[3])):
        if taken[language] == INITIAL_PAIRS_MAX:
            continue
        taken[language] += 1
        own = np.unique(english[1:-1])
        new = np.unique([piece for piece in foreign[1:-1] if piece >= base_count]).astype(np.int64) - base_count
        left.append(np.repeat(new, len(own)))
        right.append(np.tile(own, len(new)))
    left, right = (torch.tensor(np.concatenate(side), device=device, dtype=torch.long) for side in (left, right))
    together = torch.sparse_coo_tensor(torch.stack([left, right]), torch.ones(len(left), device=device), (new_count, base_count)).coalesce()
    places, counts = together.indices(), together.values()
    of_new = torch.zeros(new_count, device=device).index_add_(0, places[0], counts)
    of_base = torch.zeros(base_count, device=device).index_add_(0, places[1], counts)
    # Dice, to the third power: a word and its translation stand out.
    strength = (2 * counts / (of_new[places[0]] / 8 + of_base[places[1]] / 8 + 1)).clamp(max=4) ** 3
    mixed = torch.zeros(new_count, rows.shape[1], device=device).index_add_(0, places[0], strength[:, None] * rows[places[1]])
    weight = torch.zeros(new_count, device=device).index_add_(0, places[0], strength)
    mixed = mixed / weight.clamp(min=1e-9)[:, None]
    length = rows.norm(dim=1).mean()
    mixed = torch.where((weight > 0)[:, None], mixed / mixed.norm(dim=1, keepdim=True).clamp(min=1e-9) * length, rows.mean(0))
    return mixed


def write(output, pieces, rows):
    vocabulary = b"".join(struct.pack("B", len(piece.encode())) + piece.encode() for piece in pieces)
    scales = np.abs(rows).max(axis=1) / 127
    scales[scales == 0] = 1.0
    scales = scales.astype("<f4")
    numbers = np.rint(rows / scales[:, None]).clip(-127, 127).astype(np.int8)
    header = MAGIC + struct.pack("<4I", VERSION, len(pieces), rows.shape[1], len(vocabulary))
    pathlib.Path(output).write_bytes(header + vocabulary + scales.tobytes() + numbers.tobytes())


if __name__ == "__main__":
    {"vocabulary": vocabulary, "train": train}[sys.argv[1]](*sys.argv[2:])
