"""Whether a gateway grows while participants come and go all the time."""
