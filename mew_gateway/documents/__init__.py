"""Files that people write, in YAML or JSON: plain values with their places, and every fault as a sentence."""
