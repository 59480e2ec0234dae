"""Documents that people write, in YAML or JSON: plain values with positions, and every fault as a sentence.

A file passes these modules in order: `source` (bytes to text), `composer` with `syntax` and `scalars` (text to a
`document`), a pydantic model of the caller, `validation_errors` (pydantic errors to faults), `placing` (faults to
`problems` with line and column). Nothing here knows what a document means.
"""
