"""Reads the Content Credentials of files with C2PA's own library, and prints one JSON line for each.

    python c2pa_reader.py ROOT.pem FILE…

With the node's root as an anchor the signature must be trusted; anything else is the library's own verdict.
"""

import json
import sys

import c2pa


def main() -> None:
    root, *files = sys.argv[1:]
    with open(root, encoding="ascii") as anchors:
        settings = {"verify": {"verify_trust": True}, "trust": {"user_anchors": anchors.read()}}
    context = c2pa.Context(settings=c2pa.Settings.from_dict(settings))
    for path in files:
        try:
            store = json.loads(c2pa.Reader(path, context=context).json())
        except Exception as error:  # The verdict on a damaged file may be that it cannot be read.
            print(json.dumps({"state": "Unreadable", "reason": str(error)}))
            continue
        manifest = store["manifests"][store["active_manifest"]]
        print(
            json.dumps(
                {
                    "state": store["validation_state"],
                    "failures": store.get("validation_results", {}).get("activeManifest", {}).get("failure", []),
                    "manifests": len(store["manifests"]),
                    "generator": manifest["claim_generator_info"][0]["name"],
                    "assertions": {each["label"]: each["data"] for each in manifest["assertions"]},
                    "algorithm": manifest["signature_info"]["alg"],
                }
            )
        )


main()
