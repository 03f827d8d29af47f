"""The language model of the program in onnxruntime: onnx_minilm.py MINILM_INT8_BIN.

The graph is made from the same rounded weights, as f32, with the fused operators that onnxruntime's own optimizer makes of BERT. Each line on
standard input is {"goal": TEXT, "texts": [TEXT, ...], "batch": N}; each answer says how long tokenizing, embedding and scoring took, and gives the
first vectors. Texts are sorted by length before they are padded to batches.
"""

import json
import struct
import sys
import time

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from tokenizers import BertWordPieceTokenizer

SHOWN_VECTORS = 32


class Weights:
    def __init__(self, path):
        self.data, self.at = memoryview(open(path, "rb").read()), 8
        numbers = struct.unpack("<8I", self.take(32))
        _, self.pieces, self.hidden, self.layers, self.heads, self.widened, self.positions, vocabulary_bytes = numbers
        end = self.at + vocabulary_bytes
        self.vocabulary = {}
        while self.at < end:
            self.vocabulary[bytes(self.take(self.take(1)[0])).decode()] = len(self.vocabulary)

    def take(self, count):
        self.at += count
        return self.data[self.at - count : self.at]

    def floats(self, *shape):
        return np.frombuffer(self.take(4 * int(np.prod(shape))), dtype="<f4").reshape(shape)

    def matrix(self, rows, columns):
        scales = self.floats(rows)
        return np.frombuffer(self.take(rows * columns), dtype=np.int8).reshape(rows, columns).astype(np.float32) * scales[:, None]


def make_model(weights):
    nodes, constants = [], []
    hidden = weights.hidden

    def constant(name, value):
        constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(kind, inputs, output, domain="", **attributes):
        nodes.append(helper.make_node(kind, inputs, [output], domain=domain, **attributes))
        return output

    def fused(kind, inputs, output, **attributes):
        return node(kind, inputs, output, "com.microsoft", **attributes)

    words = constant("words", weights.matrix(weights.pieces, hidden))
    positions = constant("positions", weights.floats(weights.positions, hidden))
    norm = [constant("norm.scale", weights.floats(hidden)), constant("norm.shift", weights.floats(hidden))]
    embedded = node("Add", [node("Gather", [words, "ids"], "word_rows"), node("Gather", [positions, "places"], "position_rows")], "embedded")
    state = node("LayerNormalization", [embedded, *norm], "state", epsilon=1e-12)
    for layer in range(weights.layers):

        def dense(name, inputs, outputs, layer=layer):
            matrix = constant(f"{layer}.{name}", weights.matrix(outputs, inputs).T)
            return matrix, constant(f"{layer}.{name}.bias", weights.floats(outputs))

        def layer_norm(name, layer=layer):
            return [constant(f"{layer}.{name}.{part}", weights.floats(hidden)) for part in ("scale", "shift")]

        attention = dense("attention", hidden, 3 * hidden)
        attended = fused("Attention", [state, *attention, "mask"], f"{layer}.attended", num_heads=weights.heads)
        out, out_bias = dense("out", hidden, hidden)
        out_norm = layer_norm("out_norm")
        added = node("MatMul", [attended, out], f"{layer}.added")
        state = fused("SkipLayerNormalization", [added, state, *out_norm, out_bias], f"{layer}.middle", epsilon=1e-12)
        widen, widen_bias = dense("widen", hidden, weights.widened)
        wide = fused("BiasGelu", [node("MatMul", [state, widen], f"{layer}.wide"), widen_bias], f"{layer}.active")
        narrow, narrow_bias = dense("narrow", weights.widened, hidden)
        narrow_norm = layer_norm("narrow_norm")
        added = node("MatMul", [wide, narrow], f"{layer}.narrowed")
        state = fused("SkipLayerNormalization", [added, state, *narrow_norm, narrow_bias], f"{layer}.state", epsilon=1e-12)
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT32, ["texts", "pieces"]) for name in ("ids", "places", "mask")]
    outputs = [helper.make_tensor_value_info(state, TensorProto.FLOAT, ["texts", "pieces", hidden])]
    graph = helper.make_graph(nodes, "minilm", inputs, outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)], ir_version=9)
    return model.SerializeToString()


def embed(session, tokenizer, texts, batch):
    encoded = [encoding.ids for encoding in tokenizer.encode_batch(texts)]
    vectors = np.zeros((len(texts), 384), dtype=np.float32)
    order = sorted(range(len(texts)), key=lambda place: len(encoded[place]))
    for start in range(0, len(order), batch):
        places = order[start : start + batch]
        longest = max(len(encoded[place]) for place in places)
        ids = np.zeros((len(places), longest), dtype=np.int32)
        mask = np.zeros_like(ids)
        for row, place in enumerate(places):
            ids[row, : len(encoded[place])] = encoded[place]
            mask[row, : len(encoded[place])] = 1
        spots = np.broadcast_to(np.arange(longest, dtype=np.int32), ids.shape)
        states = session.run(None, {"ids": ids, "places": np.ascontiguousarray(spots), "mask": mask})[0]
        sums = (states * mask[:, :, None]).sum(axis=1)
        vectors[places] = sums / np.linalg.norm(sums, axis=1, keepdims=True)
    return vectors


def main():
    weights = Weights(sys.argv[1])
    session = onnxruntime.InferenceSession(make_model(weights), providers=["CPUExecutionProvider"])
    tokenizer = BertWordPieceTokenizer(vocab=weights.vocabulary, lowercase=True)
    tokenizer.enable_truncation(weights.positions)
    for line in sys.stdin:
        asked = json.loads(line)
        began = time.perf_counter()
        goal = embed(session, tokenizer, [asked["goal"]], 1)[0]
        vectors = embed(session, tokenizer, asked["texts"], asked["batch"])
        scores = vectors @ goal
        seconds = time.perf_counter() - began
        answer = {"seconds": seconds, "best": float(scores.max()), "vectors": vectors[:SHOWN_VECTORS].tolist()}
        print(json.dumps(answer), flush=True)


main()
