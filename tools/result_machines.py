"""Which machines a figure of doc/results was made with, and whether they are still the same.

The mark of a figure ends in `on GPU:DIGEST,...`: the GPUs that its file names, each with the digest of the parameters in
configs/GPU.yaml. A figure whose GPU has other parameters today says so below its heading. A figure without such a mark is
older than this rule, and nothing is said of it."""
import glob
import hashlib
import os
import re

ON = re.compile(r"<!-- figure \S+ of \w+ by \S+ on (\S+) -->\n")
EARLIER = re.compile(r"Earlier machine: [^\n]*\n\n")
NAMED = re.compile(r"gpus: \[[^\]]*\]|--gpu\s+[\w-]+|\bon\s+[\w-]+")
NO_PARAMETERS = re.compile(r"^(?:name|description|source):.*\n|^sources:\n(?:[ #].*\n|\n)*|^\s*#.*\n", re.M)


def digest_of(gpu):
    """Of the parameters of a GPU: neither names nor sources count."""
    with open(f"configs/{gpu}.yaml") as f:
        return hashlib.sha256(NO_PARAMETERS.sub("", f.read()).encode()).hexdigest()[:8]


def stamp(figure):
    """What the mark of a figure says of its machines, as they are today; nothing if its file names none."""
    with open(f"figures/{figure}.yaml") as f:
        text = f.read()
    words = set(re.findall(r"[\w-]+", " ".join(NAMED.findall(text)))) # `ccws` alone may be the scheduler
    gpus = sorted(words & {os.path.basename(p)[:-len(".yaml")] for p in glob.glob("configs/*.yaml")})
    return " on " + ",".join(f"{gpu}:{digest_of(gpu)}" for gpu in gpus) if gpus else ""


def changed(section):
    """The GPUs of a figure's section that have other parameters today."""
    found = ON.search(section)
    made_with = [part.split(":") for part in found.group(1).split(",")] if found else []
    return [gpu for gpu, digest in made_with if not os.path.exists(f"configs/{gpu}.yaml") or digest_of(gpu) != digest]


def noted(section):
    """The section with a line that names those, if there are any, above its picture."""
    section, gpus = EARLIER.sub("", section), changed(section)
    if not gpus:
        return section
    names = " and ".join(f"`{gpu}`" for gpu in gpus)
    return section.replace("\n\n![", f"\n\nEarlier machine: {names} had other parameters when this figure was made (CHANGELOG.md, Model).\n\n![", 1)
