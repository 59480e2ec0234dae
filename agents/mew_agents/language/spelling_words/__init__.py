"""Data of `spelling`: chat spelling, the words that slips are looked for of, and words that are none, by language."""
