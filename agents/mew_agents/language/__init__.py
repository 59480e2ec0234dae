"""Values read in what people write, in Spanish, Portuguese and English (docs/language.md): pure functions."""
